"""The fastest way to run a case on its ranks: predicted, measured, and kept for later runs."""
