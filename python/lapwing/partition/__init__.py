"""Cutting a masked grid from the command line: masks, layouts, and methods compared."""
