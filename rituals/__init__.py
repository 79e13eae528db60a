"""Do what is done now and then: set up, import, check, sync; and the command line and the MCP server."""
