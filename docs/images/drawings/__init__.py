"""Pictures of the documentation, by subject; each module lists its own in DRAWINGS."""
