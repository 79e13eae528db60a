"""What is withheld because it was redacted."""
