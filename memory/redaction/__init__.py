"""Withhold what was redacted."""
