"""Answer requests of browsers on this machine, and nobody else's."""
