"""Set up a home: plan first, then apply."""
