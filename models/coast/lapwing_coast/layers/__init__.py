"""The coast in three dimensions: what a case may say of its layers, and its run."""
