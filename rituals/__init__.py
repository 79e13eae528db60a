"""Do what is done now and then: set up, adopt, verify, sync; and the command line and the MCP server."""
