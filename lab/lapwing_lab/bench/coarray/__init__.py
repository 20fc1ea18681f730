"""Lattice Boltzmann with coarrays compared with lapwing."""
