"""Read what was said in a host's session: the transcripts that the hosts keep, a slice at a time."""
