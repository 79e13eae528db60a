"""Take over a ledger that another tool wrote, in place."""
