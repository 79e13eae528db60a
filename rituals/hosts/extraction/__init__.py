"""Find what others have to know in what was said, by a model that the user chose."""
