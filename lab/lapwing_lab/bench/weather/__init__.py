"""The weather model's kernels against memory and divider."""
