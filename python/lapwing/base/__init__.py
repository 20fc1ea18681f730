"""The base of all other packages: errors, agreement of ranks, atomic files. Knows no grid."""
