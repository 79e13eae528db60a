"""Say what goes into a running session: news, the state, and what a compaction would lose."""
