"""Records of a model in files: their layout, and the call that writes and reads them."""
