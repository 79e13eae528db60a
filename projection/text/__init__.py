"""Read texts as words and sentences: normal forms, mentions, the digest of a log."""
