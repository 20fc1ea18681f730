"""Measure how much of the communication a step hides."""
