"""Edits of `continuity.md` by people: found, and absorbed as logs."""
