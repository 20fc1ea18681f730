"""The functions that answer the rows of a register, a module for each report."""
