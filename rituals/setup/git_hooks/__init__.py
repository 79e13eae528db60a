"""Git hooks that republish after a pull: installed only on request, beside whatever is there."""
