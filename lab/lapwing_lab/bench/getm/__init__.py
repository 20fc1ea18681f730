"""The tables of GETM's report."""
