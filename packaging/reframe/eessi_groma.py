"""Groma's test for EESSI's test suite: copy it to eessi/testsuite/tests/apps/, with groma.py as groma_benchmark.py."""

import reframe as rfm
from eessi.testsuite.constants import COMPUTE_UNITS, DEVICE_TYPES, SCALES
from eessi.testsuite.eessi_mixin import EESSI_Mixin
from eessi.testsuite.tests.apps.groma_benchmark import groma_benchmark
from eessi.testsuite.utils import find_modules
from reframe.core.builtins import parameter


def _has_two_ranks(scale):
    """Return whether a scale has more than one CPU."""
    return scale["num_nodes"] * scale.get("num_cpus_per_node", 2) > 1


@rfm.simple_test
class EESSI_Groma(groma_benchmark, EESSI_Mixin):
    """A rank on each CPU of a scale, measured by the Groma of each module."""

    time_limit = "30m"
    scale = parameter([name for name, scale in SCALES.items() if _has_two_ranks(scale)])
    module_name = parameter(find_modules("Groma"))
    device_type = DEVICE_TYPES.CPU
    compute_unit = COMPUTE_UNITS.CPU
    bench_name = "groma"
    is_ci_test = True
    used_cpus_per_task = 1
    num_tasks_per_node = None
    readonly_files = [""]
    what = "pingpong allreduce alltoall --bytes 8"

    def required_mem_per_node(self):
        """Return the MiB of a node: those of the engine and its messages."""
        return self.num_tasks_per_node * 512
