"""Views of what a case would do: its task order, the same as data, and whether bits differ."""
