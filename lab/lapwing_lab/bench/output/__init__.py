"""Measure what records cost a run, with and without servers."""
