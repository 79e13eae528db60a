"""What happened, in order, immutable: session logs and the git repository that holds them."""
