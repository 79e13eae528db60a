"""Work with remotes: choose one, fetch and push, and merge the trees of two tips."""
