"""Check what only `diurna check --ci` looks at: secrets, personal data, undeclared edits."""
