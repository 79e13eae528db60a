"""Serve memory to any client that speaks the Model Context Protocol.

`start` is the way in, `serve` and `serve_http` run one transport each, `stdio` keeps standard
output for the protocol alone, `server` gives the handshake, `handlers` answer all other requests,
`tools` is the table of what can be called, `requests` and `responses` are their shapes,
and the memory is used on one thread (`rituals.serve.open_memory`). Nothing outside this package
imports the SDK, and nothing but `diurna mcp` imports this package.
"""
