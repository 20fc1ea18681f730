"""Ranks that keep the results of a run while the model goes on."""
