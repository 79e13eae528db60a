"""Write views: pages about one side of a memory, as pure functions of state, logs and policy."""
