"""Timelines: the work of each rank in time, under each strategy."""
