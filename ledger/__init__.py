"""Keep what happened, in order and for good: session logs, and the git repository that holds them."""
