"""Read the ledgers of an organisation into PostgreSQL, and answer questions over all of them."""
