"""Faults of some files: they end too early, are a piece, or call radians degrees."""
