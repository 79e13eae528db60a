"""Find secrets and personal data in a text, name them without their values, and redact them."""
