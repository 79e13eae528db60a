"""Questions to memory: facts, provenance, timeline, neighbours; what was answered last."""
