"""Chunked stores (Zarr version 3) that all ranks write together: records and restarts."""
