"""Serve the command line: parse, call one ritual or question, print.

`entry` starts it and answers the plain forms, `app` all others by the table of commands of `operation`.
What one takes stands at its function. `context` holds what a run was
given, `layout` writes the text of an answer from its object, `dialog` asks a person, `output` alone
writes to the terminal, and `exit_codes` alone turns exceptions into messages and exit codes. The keys
of `--json` are those of `rituals.answers`.
"""
