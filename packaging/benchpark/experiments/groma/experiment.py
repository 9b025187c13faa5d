"""Groma for Benchpark: an experiment on the Ramble application of packaging/ramble."""

from benchpark.directives import variant
from benchpark.experiment import Experiment
from benchpark.mpi import MpiOnlyExperiment


class Groma(Experiment, MpiOnlyExperiment):
    """One run of Groma on a job's nodes."""

    variant(
        "workload", default="run", values=("run", "osu"), description="what is measured: operations, or as OSU does"
    )
    variant("what", default=" ", description="words of groma run in place of the workload's own")
    variant("launches", default="6", description="launches; figures have 95% intervals from 6 on")

    def compute_applications_section(self):
        """Give the words of the run, the size of the job, and what Benchpark asks of every experiment."""
        what = self.spec.variants["what"][0].strip()
        if what:
            self.add_experiment_variable("what", what, False)
        self.add_experiment_variable("launches", self.spec.variants["launches"][0], False)
        self.add_experiment_variable("n_nodes", 2, True)
        self.add_experiment_variable("n_ranks", "{sys_cores_per_node} * {n_nodes}", True)
        self.set_required_variables(
            n_resources="{n_ranks}", process_problem_size="{n_ranks}/{n_ranks}", total_problem_size="{n_ranks}"
        )

    def compute_package_section(self):
        """Ask for Groma."""
        self.add_package_spec(self.name, ["py-groma"])
