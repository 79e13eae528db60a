"""Turn session logs into bytes and back: their bullets, fact blocks and the outline of markdown."""
