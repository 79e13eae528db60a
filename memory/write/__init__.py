"""Writing: a draft becomes a log in the spool, and what waits there a commit."""
