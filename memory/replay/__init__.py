"""Replay what git has: read the logs, and follow the state of a commit through the cache."""
