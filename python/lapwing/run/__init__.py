"""One run of a case, from the request to the pictures.

The path of `lapwing run CASE --ranks 2` to its time loop:

- `commands/run.py` makes a `Request` of the options;
- `run/launch.py` finds the number of ranks, and starts mpiexec with the same command line (more
  than 32 only for a request that was found right);
- on each rank `commands/run.py` comes to `run_case` of `run/run.py`;
- `run/request.py` lets rank 0 read the case, its mask and a tuned file and cut the grid, once, and
  sends the `Setup` to all; all ranks search for the best k-section where the case asks for one;
- `run/run.py` puts the model on its domain (`run/creation.py`), opens the files
  (`run/results.py`), and runs the loop, `compute`.
"""
