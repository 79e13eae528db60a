"""Report how memories really lived, in numbers and as a picture."""
