"""Cutting the grid of a run again while it runs, where its ranks are not equally busy."""
