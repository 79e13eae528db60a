"""Keep what sessions of hosts did: one observation, what is admitted, and the spool of a session."""
