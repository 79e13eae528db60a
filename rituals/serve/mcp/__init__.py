"""Serve memory to any client that speaks the Model Context Protocol.

`serve` runs a transport, `stdio` keeps standard output for the protocol alone, `handlers` answer requests,
`tools` has each tool as one function whose parameters are its arguments, `wording` says all of it in the
words of the tools. The memory is used on one thread (`rituals.serve.open_memory`). Nothing but
`diurna mcp` imports this package, and nothing else the SDK.
"""
