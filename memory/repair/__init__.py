"""Bring back what git or a user lost, and take redacted text out of what is kept beside git."""
