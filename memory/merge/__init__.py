"""Merge two tips of a ledger, with what people wrote into them, and sum up what the merge brings."""
