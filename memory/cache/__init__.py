"""Keep the cache: one SQLite file under the git directory, its schema, its queries and its stamp."""
