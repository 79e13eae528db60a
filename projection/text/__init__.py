"""Read texts as words and sentences: normal forms, vocabulary, mentions, the digest of a log."""
