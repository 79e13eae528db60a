"""Keep the work tree beside the ledger: checkout, mirror, published files, and who wrote them."""
