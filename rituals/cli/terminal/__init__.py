"""Print what the commands answer."""
