"""The C++ library as Python sees it: partitions, domains, fields, exchanges, steps.

Knows no case and no file of results.
"""
