"""The coast model's kernels against memory and divider."""
