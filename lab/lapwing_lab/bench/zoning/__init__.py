"""Measure what cutting loops into zones costs."""
