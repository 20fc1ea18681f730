"""Measure what messages without land save."""
