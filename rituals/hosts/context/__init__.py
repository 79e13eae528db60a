"""Say what goes into a running session: news, what it needs now, and what a compaction would lose."""
