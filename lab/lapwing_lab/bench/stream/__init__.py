"""The copies that bound a lattice Boltzmann step."""
