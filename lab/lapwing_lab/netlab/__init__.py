"""An emulated cluster of network namespaces."""
