"""Take in what a repository's own documents say: decisions, rules, and what is open."""
