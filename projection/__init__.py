"""Compute what holds now: pure functions from the set of session logs to facts, tiers and files."""
