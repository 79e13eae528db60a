"""Compose the brief that an agent reads at the start of a session: values in, text out."""
