"""The solver of a semi-implicit step."""
