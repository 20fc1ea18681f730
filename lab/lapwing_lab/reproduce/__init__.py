"""The reports behind lapwing, run again: their registers, answers and pages."""
