"""Halos by every transport beside hand-written MPI and other libraries."""
