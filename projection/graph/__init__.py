"""The graph of facts: links, neighbours and entities."""
