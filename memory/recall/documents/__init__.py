"""Find passages of the documents of a repository, as its HEAD has them."""
