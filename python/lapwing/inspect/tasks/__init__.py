"""The task list of a strategy, printed or drawn."""
