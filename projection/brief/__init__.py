"""Briefs: what an agent reads at the start of a session, as values in and text out."""
