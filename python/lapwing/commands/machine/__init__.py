"""The commands that measure, describe or imitate the computer under a run."""
