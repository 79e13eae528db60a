"""Compare facts with each other: what is near, and what says the same."""
