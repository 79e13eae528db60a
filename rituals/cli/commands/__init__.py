"""Hold one module per command, loaded when that command runs; its click command is `command`."""
