"""From what all logs say to the state of every fact: versions, tiers, the replay."""
