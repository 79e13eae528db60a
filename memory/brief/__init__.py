"""Briefs of a home: what a reading of it, its place and its agent put into them."""
