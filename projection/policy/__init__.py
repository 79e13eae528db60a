"""Define the policy of a home, and read and write `diurna.toml`."""
