"""Spack's recipe of lapwing, for a repository of one's own: see docs/guide/cluster.md."""

from spack.package import *
from spack_repo.builtin.build_systems.python import PythonPackage


class Lapwing(PythonPackage):
    """Structured-grid models on many MPI ranks without communication code in the model."""

    license("BSD-3-Clause")

    # of a checkout, which `spack develop` or `spack install lapwing@main` with `git` then names
    version("main", branch="main", preferred=True)

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("mpi@3.1:")
    depends_on("cmake@3.25:", type="build")
    depends_on("ninja", type="build")
    depends_on("python@3.11:", type=("build", "link", "run"))
    depends_on("py-scikit-build-core@1.1:", type="build")
    depends_on("py-nanobind@3.1:", type="build")
    depends_on("py-mpi4py@4.1:", type=("build", "run"))
    depends_on("py-numpy@2.2:", type=("build", "run"))
    depends_on("py-scipy@1.15:", type=("build", "run"))
    depends_on("py-threadpoolctl@3.5:", type=("build", "run"))
    depends_on("py-netcdf4@1.7:", type=("build", "run"))
    depends_on("py-xarray@2025.1:", type=("build", "run"))
    depends_on("py-cf-xarray@0.10:", type=("build", "run"))
    depends_on("py-matplotlib@3.10:", type=("build", "run"))
    depends_on("py-typer@0.15:", type=("build", "run"))
    depends_on("py-rich@14:", type=("build", "run"))
    depends_on("py-jinja2@3.1:", type=("build", "run"))

    conflicts("%gcc@:11", msg="lapwing needs C++20: g++ 12 or newer")

    def setup_build_environment(self, env):
        """Take Spack's MPI, whatever else is on the path."""
        env.set("LAPWING_MPICXX", self.spec["mpi"].mpicxx)

    def config_settings(self, spec, prefix):
        """Compile for the target; Spack's wrappers name it, so that -march=native is not needed."""
        return {"cmake.define.LAPWING_ARCH": ""}

    @run_after("install")
    @on_package_attributes(run_tests=True)
    def check_install(self):
        """Ask the installation whether all is there."""
        Executable(self.prefix.bin.lapwing)("doctor")
