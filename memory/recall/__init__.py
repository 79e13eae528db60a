"""Recall: the right memory for a question, in few tokens. Lexical, explained, without a server."""
