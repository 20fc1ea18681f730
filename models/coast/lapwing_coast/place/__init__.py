"""The place of a case: grid, depths, lengths of cells."""
