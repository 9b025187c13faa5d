"""Groma for Spack: its engine is built for Spack's MPI."""

from spack.package import *
from spack_repo.builtin.build_systems.python import PythonPackage


class PyGroma(PythonPackage):
    """Measures MPI communication, and says how far a figure can be trusted."""

    homepage = "https://pypi.org/project/groma/"
    pypi = "groma/groma-0.1.0.tar.gz"

    license("BSD-3-Clause")

    version("0.1.0")  # a release adds sha256

    depends_on("cxx", type="build")
    depends_on("mpi")
    depends_on("python@3.11:", type=("build", "run"))
    depends_on("cmake@3.24:", type=("build", "run"))
    depends_on("ninja", type="build")
    depends_on("nlohmann-json@3.10:", type="build")
    depends_on("py-scikit-build-core@0.10:", type="build")

    depends_on("py-click@8.1:8", type=("build", "run"))
    depends_on("py-jinja2@3.1:3", type=("build", "run"))
    depends_on("py-msgspec@0.18:0", type=("build", "run"))
    depends_on("py-numpy@1.26:2", type=("build", "run"))
    depends_on("py-platformdirs@4:4", type=("build", "run"))
    depends_on("py-rich@13.7:15", type=("build", "run"))

    conflicts("%gcc@:11", msg="the engine is C++20: GCC 12 or newer")
    conflicts("%clang@:13", msg="the engine is C++20: Clang 14 or newer")

    def config_settings(self, spec, prefix):
        """Build the engine for this MPI in place of the standard ABI."""
        return {
            "cmake.define.GROMA_MPI_ABI": "OFF",
            "cmake.define.GROMA_PVM": "OFF",
            "cmake.define.MPI_CXX_COMPILER": spec["mpi"].mpicxx,
        }
