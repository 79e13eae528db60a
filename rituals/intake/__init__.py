"""Take in what is known elsewhere: in another tool, in a repository's documents, in an older ledger."""
