"""Record what the forms of pages say: each is the log that the command line would append."""
