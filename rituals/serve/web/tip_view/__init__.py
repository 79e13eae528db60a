"""Keep what pages ask of one tip, worked out once: uses, lives, sessions, what is due."""
