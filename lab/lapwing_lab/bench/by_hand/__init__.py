"""`lapwing bench by-hand`: models of lapwing with their communication written by hand."""
