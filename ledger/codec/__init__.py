"""Between bytes and values: session logs, their bullets and fact blocks, the outline of markdown."""
