"""Results that are kept in lab/results, and the tables of docs/measurements made from them."""
