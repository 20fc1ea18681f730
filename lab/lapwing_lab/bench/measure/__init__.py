"""The common part of all benchmarks: methods, samples, tables, reports."""
