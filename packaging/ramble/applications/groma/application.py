"""Groma for Ramble: `ramble repo add packaging/ramble`, then the application `groma` in a workspace."""

from ramble.appkit import *

_RUN, _FIGURES = "{experiment_run_dir}/groma", "{experiment_run_dir}/figures.csv"
# A row of `groma export --points`: operation, bytes and perhaps more, then figure, interval, unit and kind of interval.
_POINT = r"(?P<operation>[a-z][\w/]*),(?P<bytes>[0-9]*)"
_ROW = _POINT + r"(?:,[^,]*)*?,(?P<figure>[0-9.e+-]+),(?P<low>[0-9.e+-]*),(?P<high>[0-9.e+-]*),"


class Groma(ExecutableApplication):
    """Measure MPI communication, and say how far each figure can be trusted."""

    name = "groma"

    tags("synthetic-benchmarks", "mpi")

    software_spec("groma", pkg_spec="py-groma", package_manager="spack*")
    required_package("py-groma", package_manager="spack*")

    # Groma starts the ranks itself, in the job's allocation.
    executable(
        "measure",
        "groma run {what} -n {n_ranks} --launches {launches} -o " + _RUN,
        use_mpi=False,
    )
    executable("tabulate", "groma export " + _RUN + " --to csv --points -o " + _FIGURES, use_mpi=False)
    workload("run", executables=["measure", "tabulate"])
    workload("osu", executables=["measure", "tabulate"])

    workload_variable(
        "what",
        default="pingpong stream allreduce alltoall --bytes 8,4M",
        description="Operations, the file of a plan, or --profile NAME, as groma run takes them",
        workloads=["run"],
    )
    workload_variable(
        "what",
        default="--profile osu",
        description="What the OSU Micro-Benchmarks measure, by their methods",
        workloads=["osu"],
    )
    workload_variable(
        "launches",
        default="6",
        description="Launches; figures have 95% intervals from 6 on",
        workloads=["run", "osu"],
    )

    figure_of_merit_context("point", regex=_ROW, output_format="{operation} {bytes} B")
    for what, unit, units in (("Time", "[^,/]*s", "us"), ("Bandwidth", "MB/s", "MB/s"), ("Rate", "1/s", "1/s")):
        for part, group in (
            ("", "figure"),
            (", lower end of the interval", "low"),
            (", upper end of the interval", "high"),
        ):
            figure_of_merit(
                what + part,
                fom_regex=_ROW + unit + ",",
                group_name=group,
                units=units,
                log_file=_FIGURES,
                contexts=["point"],
            )

    success_criteria("complete", mode="string", match=r'\s*"state": "complete"', file=_RUN + "/run.json")
