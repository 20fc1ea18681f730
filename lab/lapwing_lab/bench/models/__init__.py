"""Whole models: on lapwing, with MPI by hand, and by other packages."""
