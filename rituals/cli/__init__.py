"""The command line: parse, call one ritual or question, print.

`app` is the way in, `registry` the table of commands, `context` the only reader of clock,
environment, working directory and terminals, `output` the only writer to them, `errors` the one
translation of exceptions into messages and exit codes, `answers` the shapes of `--json`.
"""
