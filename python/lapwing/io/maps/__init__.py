"""Maps of other programs: from files to wet cells, depths and axes in lapwing's order.

The way of a map: `dataset` opens a file as an xarray Dataset, and `formats` knows the files of
other models. `choice` picks the variable, `meaning` says which of its values are water, `order`
puts rows and columns in order, and `wet_cells` and `depth` read by blocks of rows.
"""
