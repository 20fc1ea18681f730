"""The real C++ code on a network that nobody has."""
