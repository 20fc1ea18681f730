"""Tests of models on many ranks: a plugin of pytest."""
