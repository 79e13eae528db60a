"""Fold what hosts' sessions left, observations and transcripts, into session logs."""
