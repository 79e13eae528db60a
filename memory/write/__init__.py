"""Write to the ledger: a draft becomes a log in the spool, and what waits there becomes a commit."""
