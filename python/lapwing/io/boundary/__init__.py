"""Records of a file that drive a run: at its edges, or from the air above it."""
