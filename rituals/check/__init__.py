"""The checks: one set of them, from which `verify`, `lint`, `doctor`, `status` and `review` each choose.

`registry` is the table: what there is, what it needs and costs, and which commands make it. `survey` is
what is looked at, `ledger_checks` are the checks of the ledger itself, those of a clone and a machine are
in `rituals.check.doctor`. The same state gives the same finding, whoever asks.
"""
