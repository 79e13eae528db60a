"""Serve the command line: parse, call one ritual or question, print.

`entry` starts it: `fast_path` answers the plain forms, `app` all others by way of `registry`, the table of
commands. `context` holds what a run was given, `output` alone writes to the terminal, and `errors` alone
turns exceptions into messages and exit codes. The keys of `--json` are those of `rituals.answers`.
"""
