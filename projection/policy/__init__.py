"""The policy of a home: its values, and `diurna.toml` read and written."""
