"""Files that a run reads and writes: records, restarts, masks, boundary values.

Does not decide when.
"""
