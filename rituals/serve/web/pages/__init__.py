"""Gather what each page shows, as values: one module an address."""
