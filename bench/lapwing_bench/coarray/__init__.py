"""Lattice Boltzmann with coarrays beside lapwing."""
