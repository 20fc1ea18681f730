"""What all benchmarks share: methods, samples, tables, reports."""
