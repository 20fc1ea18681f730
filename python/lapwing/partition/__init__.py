"""Cutting a masked grid from the command line: masks, layouts, methods next to each other."""
