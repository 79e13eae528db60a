"""Report how memories really lived, in numbers, and take a memory out of git as files."""
