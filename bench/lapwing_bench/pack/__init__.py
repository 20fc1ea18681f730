"""Packing and unpacking beside memcpy."""
