"""The question of a recall: parsed, spelled, dated, widened by synonyms."""
