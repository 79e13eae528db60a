"""Find by which commit the work of a branch came into another one, under whatever id it has there."""
