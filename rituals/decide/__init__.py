"""Deciding: what a person or an agent says about facts outside of work, each time as one log of its own.

Every decision is planned first, as a value; recording it is an ordinary append.
"""
