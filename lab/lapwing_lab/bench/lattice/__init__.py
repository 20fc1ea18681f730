"""The lattice model's kernels against memory and lbmpy."""
