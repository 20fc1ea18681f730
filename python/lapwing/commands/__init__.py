"""The commands of `lapwing`, one module each; `lapwing.__main__` registers them."""
