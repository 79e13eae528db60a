"""Rank the passages that answer a question."""
