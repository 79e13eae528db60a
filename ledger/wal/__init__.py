"""Keep the write-ahead log beside git: the spool, intents, atomic files and locks."""
