"""The place of the cells of a map: which dimension is x, and coordinates that rise."""
