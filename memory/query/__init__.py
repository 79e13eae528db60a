"""Answer questions about facts, provenance, the timeline and neighbours, and keep the last answers."""
