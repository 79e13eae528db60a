"""`continuity.md` and the archive: written, read back, and edits of them as events."""
