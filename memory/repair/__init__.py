"""Repair: what git or a user lost is brought back, and redacted text taken out of what is kept."""
