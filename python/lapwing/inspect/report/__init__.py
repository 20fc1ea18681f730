"""A run's results as one page."""
