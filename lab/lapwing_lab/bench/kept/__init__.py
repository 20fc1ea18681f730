"""Results that are kept in bench/results, and the tables of docs/measurements made from them."""
