"""Secrets and personal data in a text: found, told without their values, and redacted."""
