"""Read the question of a recall: parse it, spell it, date it, widen it by synonyms."""
