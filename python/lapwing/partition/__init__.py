"""Cutting a masked grid from the command line: masks, layouts, methods beside each other."""
