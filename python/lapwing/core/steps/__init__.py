"""Steps of stages: declaring, running and tuning them."""
