"""Ask memory what a project has to know, and say whether it answers."""
