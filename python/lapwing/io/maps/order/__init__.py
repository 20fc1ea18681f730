"""Where the cells of a map are: which dimension is x, and coordinates that rise."""
