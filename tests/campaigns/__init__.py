"""Long campaigns, each a module run by one command: races, kills and laws with many examples."""
