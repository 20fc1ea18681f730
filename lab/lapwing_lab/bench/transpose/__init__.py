"""Whole rows and columns by every method."""
