"""Decide about facts outside of work: each decision of a person or an agent is one log of its own.

Every decision is planned first, as a value; recording it is an ordinary append.
"""
