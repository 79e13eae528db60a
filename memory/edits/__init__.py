"""Find people's edits of `continuity.md`, and absorb them as logs."""
