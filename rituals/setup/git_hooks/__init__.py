"""Install git hooks that republish after a pull: only on request, beside whatever is there."""
