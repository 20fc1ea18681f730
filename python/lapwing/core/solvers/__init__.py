"""Solvers along grid lines, on transposes."""
