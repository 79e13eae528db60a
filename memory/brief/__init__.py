"""Make the brief of a home for one agent, task and place."""
