"""How much of the communication a step hides."""
