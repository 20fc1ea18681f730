"""Compare which halos travel in the model with layers."""
