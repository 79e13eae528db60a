"""Serve memory to any client that speaks the Model Context Protocol.

`serve` reads messages and keeps standard output for answers alone, `handlers` answers each,
`tools` has each tool as one function whose parameters are its arguments, `wording` says all of it in the
words of the tools. The memory is used on one thread (`rituals.serve.open_memory`). Nothing but
`diurna mcp` imports this package.
"""
