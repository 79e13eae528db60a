"""Checks that `diurna lint` makes beside those of `verify`: secrets, personal data, undeclared edits."""
