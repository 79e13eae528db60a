"""Answer the programs that run agents: what their hooks say, and what they take for an answer."""
