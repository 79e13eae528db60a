"""Verify the ledger: the tip holds all that was ever committed to it, unchanged.

Everything is read from git anew; no cache is asked. What history took from the ledger can be planned and
added again (`restore`). Keeps L1 to L5 of FORMAT.md (durability catalogue, E1 to E11 and E14).
"""
