"""The task lists of strategies: in the order in which they are done, as pictures and as data."""
