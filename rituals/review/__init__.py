"""The review: a plan of what a person should look at, and one log of type `review` that applies it."""
