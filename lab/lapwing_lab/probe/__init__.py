"""Measuring a machine: links, memory, progress of MPI."""
