"""Check what only `diurna lint` looks at: secrets, personal data, undeclared edits."""
