"""Fold what all logs say into the state of every fact: versions, tiers, the replay."""
