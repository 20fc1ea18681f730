"""The stages of a model's step against memory and divider: for benchmarks of models."""
