"""Read what is to be recorded, from the command line, JSON or MCP, as one request."""
