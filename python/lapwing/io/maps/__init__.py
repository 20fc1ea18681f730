"""Maps of other programs: from files to wet cells, depths and axes in lapwing's order.

The way of a map: `dataset` opens a file as an xarray Dataset, `formats` knows the files of other
models, `choice` picks the variable, or `expression` says which cells are wet, `water` says which
values are water, `axes` puts rows and columns in order, and `wet_cells` reads by blocks.
"""
