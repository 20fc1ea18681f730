"""Cutting a masked grid: masks, layouts, and methods compared."""
