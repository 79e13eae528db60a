"""Take a memory out of git as files that other programs read, and bring events in again."""
