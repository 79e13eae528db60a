"""Connect facts: links, neighbours and entities."""
