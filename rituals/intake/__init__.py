"""Take in what is known elsewhere: in another tool, in decision records, in an older ledger."""
