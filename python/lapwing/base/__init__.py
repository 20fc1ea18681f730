"""What all other packages may use: errors, agreement of ranks, atomic files. Knows no grid."""
