"""Find the memories that answer a question, in few tokens: by words, explained, without a server."""
