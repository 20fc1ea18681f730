"""The computer under a run: measured, emulated, simulated, diagnosed."""
