"""Ranking: which passages answer a question."""
