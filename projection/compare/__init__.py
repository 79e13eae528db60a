"""Compare facts with each other: duplicates and contradictions."""
