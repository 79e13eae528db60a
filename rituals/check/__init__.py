"""Check a ledger and its machine: one set of checks, from which each command chooses.

`check_registry` has what there is, and makes it; the other modules are the checks, a concern each. The
same state gives the same finding, whoever asks. What can be mended without risk is: nothing of the user's
is deleted, a lock is moved aside only when nobody owns it, and objects are written again under their own
ids. What is verified is read from git anew: no cache is asked. Keeps L1 to L5 of
FORMAT.md (fault:B5 to fault:B9, fault:E1 to fault:E11, fault:E14, fault:H14 and fault:M5).
"""
