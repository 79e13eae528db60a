"""Verify the ledger: the tip holds all that was ever committed to it, unchanged.

Everything is read from git anew; no cache is asked. What history took from the ledger can be planned and
added again (`restore`). Keeps L1 to L5 of FORMAT.md (fault:E1 to fault:E11 and fault:E14).
"""
