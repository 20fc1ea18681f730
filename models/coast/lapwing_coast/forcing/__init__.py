"""Forcing of a sea from outside: tides, rivers, wind, heat and rain."""
