"""Serve a memory to other programs: to agents by the Model Context Protocol, to people as web pages."""
