"""Keep the index of recall: one FTS5 file that follows the cache."""
