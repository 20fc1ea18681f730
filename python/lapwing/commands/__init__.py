"""The commands of `lapwing`, one module each; `lapwing.cli` registers them."""
