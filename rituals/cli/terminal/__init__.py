"""Print what several commands answer, or the quick path does."""
