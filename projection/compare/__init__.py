"""Facts held against each other: duplicates and contradictions."""
