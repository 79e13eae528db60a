"""Remotes: which one is meant, fetch and push, and the merge of two tips."""
