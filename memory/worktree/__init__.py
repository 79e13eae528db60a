"""The work tree beside the ledger: checkout, mirror, published files, and whose they are."""
