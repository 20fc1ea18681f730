"""Halos by every transport compared with hand-written MPI and other libraries."""
