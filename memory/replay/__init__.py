"""Replay on what git has: logs read, the state of a commit, by way of the cache."""
