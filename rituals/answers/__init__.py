"""Build the objects of answers: the keys that scripts, MCP clients and pages rely on."""
