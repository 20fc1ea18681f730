"""Which halos travel in the model with layers."""
