"""Write `continuity.md` and the archive, read them back, and turn edits of them into events."""
