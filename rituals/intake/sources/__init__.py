"""Read what other tools keep: one reader a tool, all of them bounded, none of them writing."""
