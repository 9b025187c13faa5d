"""The commands of hpctestlib's OSU test, and what it looks for in their output: for ReFrame, with stand-ins on PATH.

ReFrame's packages have no hpctestlib. Its test passes the memory of two buffers (D D) to all programs of pairs.
"""

import reframe as rfm
import reframe.utility.sanity as sn


@rfm.simple_test
class as_hpctestlib(rfm.RunOnlyRegressionTest):
    """Start one program with the library's options, and read the line of the largest message."""

    valid_systems = ["*"]
    valid_prog_environs = ["*"]
    num_tasks = 2
    program = parameter(["osu_latency", "osu_bw", "osu_allreduce", "osu_alltoall"])

    @run_before("setup")
    def set_command(self):
        """Give the options of all programs, and those of pairs."""
        self.executable = self.program
        self.executable_opts = ["-m", "8", "-x", "10", "-i", "100", "-c"]
        if self.program in ("osu_latency", "osu_bw"):
            self.executable_opts += ["D", "D"]

    @sanity_function
    def is_checked(self):
        """The data of the line must have passed."""
        return sn.assert_found(r"^8.*Pass", self.stdout)

    @performance_function("us")
    def figure(self):
        """Return the second column."""
        return sn.extractsingle(r"^8\s+(\S+)", self.stdout, 1, float)
