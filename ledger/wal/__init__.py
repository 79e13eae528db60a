"""The write-ahead log beside git: the spool, intents, files that a crash leaves whole, locks."""
