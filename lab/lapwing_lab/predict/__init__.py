"""Step times on a machine for any number of ranks, from plans, task lists and a machine file."""
