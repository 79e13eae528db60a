"""Define the values of the ledger: events, sessions, ids and the order of logs."""
