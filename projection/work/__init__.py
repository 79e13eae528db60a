"""Follow the work that memory holds: tasks, handoffs between agents, and findings."""
