"""Packing and unpacking compared with memcpy."""
