"""The meaning of the values of a map: water or land, a depth or a height, an expression."""
