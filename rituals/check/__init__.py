"""Check a ledger and its machine: one set of checks, from which each command chooses.

`verify`, `lint`, `doctor`, `status` and `review` take theirs from it. `check_registry` is the table: what
there is, what it needs and costs, and which commands make it. `survey` is what is looked at,
`ledger_checks` are the checks of the ledger itself, those of a clone and a machine are in
`rituals.check.doctor`. The same state gives the same finding, whoever asks.
"""
