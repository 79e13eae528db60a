"""Review a memory: plan what a person should look at, and apply it as one log of type `review`."""
