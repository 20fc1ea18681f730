"""What the values of a map mean: water or land, a depth or a height, an expression."""
