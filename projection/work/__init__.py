"""Follow the work that memory holds: tasks, and handoffs between agents."""
