"""A ReFrame test (4.0 or newer) that measures with Groma: copy it beside the tests of your site, or derive from it.

    reframe -c groma.py -r -S groma_run.limits=/site/limits.toml

A figure's name is its operation and size, such as `pingpong_8`, with the number of ranks if there are several. Limits
of the site give references to figures, and a baseline gives one to the ratio of each (`pingpong_8_ratio`); without
either, figures are only logged.
"""

import json
import os

import reframe as rfm
import reframe.utility.sanity as sn
from reframe.core.backends import getlauncher


class groma_benchmark(rfm.RunOnlyRegressionTest):
    """Base class: one run of Groma, which starts the ranks itself, in the job's allocation if there is one."""

    #: What is measured: the words of ``groma run``, such as operations, the file of a plan or ``--profile NAME``.
    what = variable(str, value="pingpong stream allreduce alltoall --bytes 8,4M")

    #: Launches; figures have 95% intervals from 6 on.
    launches = variable(int, value=6)

    #: A file of limits (``groma limits``); its bounds are the references of figures.
    limits = variable(str, value="")

    #: A baseline (``groma baseline``); a point that Groma finds slower than it fails.
    baseline = variable(str, value="")

    num_tasks = 2
    executable = "groma"

    @run_before("run")
    def set_command(self):
        """Let Groma be started once, and write its figures and its judgement; that is no exit code of the job."""
        self.job.launcher = getlauncher("local")()
        self.executable_opts = [
            *["run", *self.what.split()],
            *["-n", str(self.num_tasks), "--launches", str(self.launches), "-o", "run"],
        ]
        self.postrun_cmds = ["groma export run --to json --points -o figures.json"]
        if against := f"--limits {self.limits}" if self.limits else self.baseline:
            self.postrun_cmds.append(f"groma gate {against} run --strict --format json > gate.json || true")

    @sanity_function
    def is_complete(self):
        """Every launch must have its end-of-run record, without failures, and the run must be complete."""
        ends = [self._end_of(number) for number in range(1, self.launches + 1)]
        state = self._document("run/run.json").get("state", "missing")
        return sn.all([sn.assert_eq(state, "complete", "the run is {0}"), *(self._is_whole(end) for end in ends)])

    @run_before("performance")
    def set_figures(self):
        """Make every figure a performance variable, and give it the reference that the site or the baseline has."""
        rows = self._document("figures.json")["rows"]
        parts = [part for part in ("operation", "bytes", "ranks") if rows and part in rows[0]]
        judged = {_key(point, parts): point for point in self._document("gate.json").get("points", [])}
        figures, self.perf_variables = {}, {}
        for row in rows:
            name, unit = _key(row, parts), row["unit"].replace("µs", "us")
            figures[name] = (row["figure"], (0, None, None, unit))
            if self.limits and name in judged:
                figures[name] = _by_limit(judged[name])
            elif self.baseline and name in judged:
                figures[f"{name}_ratio"] = _by_baseline(judged[name], self._document("gate.json")["margin"])
        for name, (value, (*_, unit)) in figures.items():
            self.perf_variables[name] = sn.make_performance_function(sn.defer(value), unit)
        self.reference = {"*": {name: reference for name, (_, reference) in figures.items()}}

    def _is_whole(self, end):
        kind, failures = end.get("kind", "nothing"), end.get("failures", 0)
        return sn.assert_true(kind == "end" and not failures, f"a launch ended with: {kind}, {failures} failures")

    def _end_of(self, number):
        """Return the last record of a launch; of one that is missing or torn, nothing."""
        try:
            with open(os.path.join(self.stagedir, f"run/launches/{number:03d}/points.jsonl"), "rb") as file:
                return json.loads(file.read().splitlines()[-1])
        except (OSError, ValueError, IndexError):
            return {}

    def _document(self, name):
        """Return a document of the stage directory; an empty one if it is not there."""
        try:
            with open(os.path.join(self.stagedir, name)) as file:
                return json.load(file)
        except (OSError, ValueError):
            return {}


def _key(row, parts):
    """Return the name of a point's figure, made of these columns."""
    return "_".join(str(row[part]) for part in parts if row[part] is not None).replace("/", "_")


def _by_limit(point):
    """Return the value of a point of a gate by limits, with its reference: bounds are shares there."""
    value = point["reference"]
    low, high = (None if bound is None else bound / value - 1 for bound in (point["low"], point["high"]))
    return point["value"], (value, low, high, point["unit"])


def _by_baseline(point, margin):
    """Return the ratio to the baseline: only Groma's verdict that a point is slower bounds it."""
    return point["ratio"], (1, None, margin if point["verdict"] == "slower" else None, "ratio")


@rfm.simple_test
class groma_run(groma_benchmark):
    """What hpctestlib's osu.py measures, by Groma: small and large messages between two ranks, and two collectives."""

    valid_systems = ["*"]
    valid_prog_environs = ["*"]
