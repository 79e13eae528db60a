"""Generators of large ledgers for benchmarks and tests."""
