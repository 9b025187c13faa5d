"""A campaign: one launch after another until all that was asked is measured, or the budget is spent."""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass
from typing import NoReturn

from groma.errors import InputError, RunError
from groma.launch.allocation import Allocation
from groma.launch.process import Interrupts
from groma.launch.words import SKIPPED, skip_reasons
from groma.results.documents import FoundPair, LibraryDocument, RunDocument, State
from groma.run.ahead import stages_s
from groma.run.builds import WHAT_TO_DO, Builds
from groma.run.directory import RunDirectory, now_iso
from groma.run.earlier import earlier_launches
from groma.run.following import Follower
from groma.run.launching import Launched, make_launch
from groma.run.prepared import Prepared
from groma.run.progress import Progress
from groma.run.schedule import MOST_LAUNCHES, Schedule, Step
from groma.run.timetable import begins_a_round, timetable_of
from groma.text.counts import plain_duration
from groma.text.sizes import format_size

_EXIT_BAD_INPUT = 2
_FAILURES_IN_A_ROW = 2
_ENOUGH_LAUNCHES = 6
_SIGNAL_S = 1.0
# Of a job's time this share, within these limits, is left for the end of the last launch and what follows it.
_KEPT_SHARE, _KEPT_LEAST_S, _KEPT_MOST_S = 0.05, 3.0, 60.0


def usable_s(job: Allocation | None) -> float:
    """Return the seconds in which launches of a job have to end; infinite if no end is known."""
    left_s = job.left_s() if job else None
    return math.inf if left_s is None else left_s - min(_KEPT_MOST_S, max(_KEPT_LEAST_S, _KEPT_SHARE * left_s))


@dataclass(frozen=True)
class Outcome:
    """Result of a campaign, with a sentence for each deviation from what was asked."""

    state: State
    sentences: list[str]


class Campaign:
    """One run from its first launch to its last; `run` does it."""

    def __init__(
        self,
        prepared: Prepared,
        document: RunDocument,
        directory: RunDirectory,
        progress: Progress,
        spent_s: float = 0.0,
    ) -> None:
        """Prepare to measure what the document asks; `spent_s` of its budget were used before a resume.

        In a scheduler's job no launch starts that the job's time does not allow.
        """
        self._prepared, self._document, self._directory, self._progress = prepared, document, directory, progress
        self._job = prepared.setup.job
        further = (prepared.further, directory.path) if prepared.further else None
        self._schedule = Schedule(document, prepared.catalog, spent_s, job_s=usable_s(self._job), further=further)
        self._timetable = timetable_of(document, directory)
        self._sentences: list[str] = []
        self._faults = 0
        self._drop_refused()

    def run(self) -> Outcome:
        """Measure until done, interrupted, out of budget or failing for good; run.json states how it ended.

        Raises InputError, with the directory gone, if the engine refuses the plan before anything was measured, and
        OutputError if the directory can no longer be written.
        """
        earlier = list(earlier_launches(self._directory, self._document))
        for step, follower in earlier:
            self._schedule.learn(step, follower)
            self._keep_pairs(step, follower)
        builds = Builds(self._directory)
        with Interrupts() as interrupts, self._progress:
            in_a_row, before = 0, None
            for made, step in enumerate(self._schedule.steps({step.number for step, _ in earlier})):
                if made == self._prepared.pause_after:
                    return self._finish("partial" if self._faults else "paused")
                if not self._is_due(step, before, interrupts):
                    return self._finish("interrupted")
                before = step
                self._refuse_other_build(step, builds)
                if self._document.refinement.active:
                    self._directory.write(self._document)  # a resume must know the sizes that were added
                launched = self._launched(step, interrupts)
                self._refuse_other_ranks(step, launched)
                self._refuse_other_places(launched)
                self._note_library(step, launched.follower)
                self._schedule.learn(step, launched.follower, launched.wall_s if launched.complete else None)
                self._note_skipped(step, launched.follower)
                self._keep_pairs(step, launched.follower)
                if not launched.complete and self._job and interrupts.received is None:
                    interrupts.wait(_SIGNAL_S)  # a scheduler ends the ranks and this process at the same time
                if interrupts.received is not None:
                    self._fault(
                        f"{interrupts.received.name} interrupted launch {step.number}; what was measured is kept."
                    )
                    return self._finish("interrupted")
                if launched.complete:
                    in_a_row = 0
                    self._keep_tables(step)
                    self._tell_pace(step, made + 1, launched.wall_s)
                    continue
                in_a_row = 0 if launched.sound else in_a_row + 1
                self._explain(step, launched)
                if in_a_row >= _FAILURES_IN_A_ROW or not self._schedule.measured:
                    self._fault(f"No launch was started after launch {step.number}.")
                    break
        self._explain_budget()
        self._explain_missed()
        return self._finish("partial" if self._faults else "complete")

    def _launched(self, step: Step, interrupts: Interrupts) -> Launched:
        """Make one launch, with its progress."""
        watch = functools.partial(self._show, step)
        known = (self._prepared, self._document, self._directory)
        return make_launch(step, *known, interrupts=interrupts, watch=watch)

    def _tell_pace(self, step: Step, made: int, wall_s: float) -> None:
        """Say how long the launches after `made` will take."""
        left_s = self._schedule.later_s(step, wall_s)
        if self._progress.awaits_forecast and self._schedule.knows_pace(step):
            after_s = stages_s(self._directory.path, self._document.profile)
            if after_s is not None:
                self._progress.forecast(made, left_s + after_s)
        self._progress.launch_over(self._name(step), left_s)

    def _refuse_other_build(self, step: Step, builds: Builds) -> None:
        """Stop if engine or library were replaced since the last launch, unless the run allows that."""
        variant = self._document.variants[step.variant] if self._document.variants else None
        setup = self._prepared.setup_of(variant)
        if other := builds.other(variant, setup):
            if not self._document.any_build:
                self._give_up(f"Launch {step.number} was not started: {other}; {WHAT_TO_DO}")
            self._note(f"From launch {step.number} on {other}.")
        builds.keep(step.number, variant, setup)

    def _drop_refused(self) -> None:
        """Leave out the points that a variant's engine does not measure."""
        for place, variant in enumerate(self._document.variants):
            for index in self._prepared.refused.get(variant.name, ()):
                self._schedule.drop_everywhere(place, index)

    def _is_due(self, step: Step, before: Step | None, interrupts: Interrupts) -> bool:
        """Wait for the start time of the step's round, if rounds have one; False if a signal ended the wait."""
        if self._timetable is None or not begins_a_round(step, before, self._document.round_length):
            return True
        if self._timetable.wait(interrupts, functools.partial(self._progress.waiting, self._name(step))):
            return True
        received = interrupts.received.name if interrupts.received else "a signal"
        self._fault(f"{received} interrupted the wait for launch {step.number}; what was measured is kept.")
        return False

    def _show(self, step: Step, follower: Follower, elapsed_s: float) -> None:
        """Refresh the progress line."""
        whole_s = self._schedule.pace.whole_s((self._schedule.kind_of(step), step.indices), elapsed_s, follower.done)
        left_s = None if whole_s is None else whole_s - elapsed_s + self._schedule.later_s(step, whole_s)
        point = f"point {min(follower.done + 1, len(step.indices))} of {len(step.indices)}"
        self._progress.update(self._name(step), point, left_s)

    def _refuse_other_ranks(self, step: Step, launched: Launched) -> None:
        """Stop if the launcher started other ranks than asked: what such a launch measured has no meaning."""
        ranks = launched.follower.ranks
        if ranks in (None, step.ranks):
            return
        launcher = self._document.library_of(self._variant(step)).launcher
        sentence = (
            f"{launcher} was asked for {step.ranks} ranks, but MPI saw {ranks}: launcher and "
            "library do not belong together; use the mpiexec of the engine's library (--launcher)"
        )
        self._give_up(sentence)

    def _refuse_other_places(self, launched: Launched) -> None:
        """Stop if the ranks were elsewhere than asked, unless the run allows that."""
        if launched.misplaced and not self._document.any_placement:
            self._give_up(
                f"{launched.misplaced}; check the hosts and the placement (--dry-run prints what is expected), let the "
                "launcher choose, or accept it with --any-placement"
            )

    def _give_up(self, sentence: str) -> NoReturn:
        """End a run in which every further launch would be wrong; delete its directory if nothing was measured."""
        if not self._schedule.measured:
            self._directory.remove_unmeasured()
            raise InputError(sentence)
        self._fault(sentence)
        self._finish("partial")
        raise RunError(sentence)

    def _keep_tables(self, step: Step) -> None:
        from groma.analysis.launchtable import keep_tables  # noqa: PLC0415 - imports numpy

        keep_tables(self._directory.launch(step.number), self._document.of_program(self._variant(step)).report)

    def _explain(self, step: Step, launched: Launched) -> None:
        """Report what a launch did not measure; later launches skip a point that hung."""
        follower = launched.follower
        if launched.exit_code == _EXIT_BAD_INPUT and not self._schedule.measured:
            self._directory.remove_unmeasured()
            raise InputError(
                launched.words or "the engine refused the plan without a message; try its command by hand (--dry-run)"
            )
        for at, message in follower.failures.items():
            self._fault(f"Launch {step.number}: {self._label(step.indices[at])} failed: {message}")
        for at in follower.timed_out:
            self._schedule.drop(self._schedule.kind_of(step), step.indices[at])
            variant = f" as {self._variant(step)}" if self._document.variants else ""
            self._note(f"{self._label(step.indices[at])} {SKIPPED} on {step.ranks} ranks{variant}.")
        if not follower.ended or not follower.failures:
            progress = (
                f"after {follower.done} of {len(step.indices)} points"
                if follower.started
                else "before it measured anything"
            )
            words = f": {launched.words}" if launched.words else "."
            self._fault(f"Launch {step.number} ended with exit code {launched.exit_code} {progress}{words}")

    def _note_skipped(self, step: Step, follower: Follower) -> None:
        """Say once for each rank count which points were skipped because it has too few ranks or nodes."""
        for reason in skip_reasons(list(follower.skipped.values())):
            sentence = f"Skipped on {step.ranks} ranks: {reason}"
            if sentence not in self._document.notes:
                self._note(sentence)

    def _keep_pairs(self, step: Step, follower: Follower) -> None:
        """Keep the pairs that a launch found, so that later launches measure the same."""
        known_pairs = {pair.name for pair in self._document.pairs}
        for search in follower.searches:
            ranks = search.slowest[0].ranks
            pair = FoundPair(search.pattern, search.ranks, search.bytes, search.placement, ranks, step.number)
            if pair.placement and pair.name not in known_pairs:
                self._document.pairs.append(pair)

    def _explain_budget(self) -> None:
        """Report the launches that the budget did not allow; the run now asks for those that were made."""
        number = self._schedule.cut_short
        if self._schedule.stopped_by_job and self._job:
            time_left = plain_duration(max(0.0, self._job.left_s() or 0.0))
            next_one = "The next launch" if number is None else f"Launch {number}"
            self._fault(
                f"{next_one} was not started: {self._job.scheduler} job {self._job.job} ends in {time_left}; "
                "continue in another job with --resume."
            )
            return
        if number is None:
            return
        asked = self._document.asked_numbers
        rounds, asked_rounds = asked.index(number) // self._document.round_length, self._document.launches
        sentence = f"The budget of {self._document.budget_s:g} s was spent after {rounds} of {asked_rounds} launches"
        sentence += "." if rounds >= _ENOUGH_LAUNCHES else f"; fewer than {_ENOUGH_LAUNCHES} give no 95 % interval."
        if rounds:
            self._document.launches = rounds
            self._note(sentence)
        else:
            self._fault(sentence)

    def _explain_missed(self) -> None:
        """Say which intervals are wider than asked when launches end."""
        missed = self._schedule.missed()
        if missed:
            widest, width = max(missed, key=lambda point_and_width: point_and_width[1])
            how = f"±{width:.1%}" if math.isfinite(width) else "has none"
            self._fault(
                f"{len(missed)} points are not within ±{self._document.within:.3g} of their median; widest is "
                f"{self._label(widest)} ({how}); {self._more_time()}"
            )

    def _more_time(self) -> str:
        if self._document.budget_s is None:
            return f"no point gets more than {MOST_LAUNCHES} launches; the machine is too restless for it."
        return f"for more time: groma run --resume {self._directory.path} --budget TIME."

    def _note_library(self, step: Step, follower: Follower) -> None:
        """Record the library that ran, which is not always the one whose launcher was called.

        Where launches before a resume ran on another version, say that this run, or this variant, now mixes two.
        """
        recorded, variant = follower.library, self._variant(step)
        previous = self._document.library_of(variant)
        current = LibraryDocument(
            str(recorded.get("name", previous.name)),
            str(recorded.get("version", previous.version)),
            previous.engine_path,
            previous.launcher,
        )
        if current != previous:
            own = variant in self._document.libraries
            if self._schedule.measured_as(step.variant) if own else self._schedule.measured:
                others = f"others as {variant} on" if own else "others on"
                first, second = (f"{library.name} {library.version}" for library in (previous, current))
                mixes = f"Launch {step.number} ran on {second}, {others} {first}"
                if not self._document.any_build:
                    self._directory.set_aside(step.number)
                    self._give_up(f"{mixes}, and is kept in superseded/; {WHAT_TO_DO}")
                self._note(f"{mixes}.")
            self._record_library(variant, current)

    def _record_library(self, variant: str | None, library: LibraryDocument) -> None:
        """Write down the library of a variant, or of the run; the run's is that of its first variant."""
        document = self._document
        if variant is not None and variant in document.libraries:
            document.libraries[variant] = library
        if variant not in document.libraries or variant == document.variants[0].name:
            document.library = library
        self._directory.write(document)

    def _variant(self, step: Step) -> str | None:
        return self._document.variants[step.variant].name if self._document.variants else None

    def _label(self, index: int) -> str:
        settings = self._document.plan.points[index]
        point = self._prepared.catalog.resolve(settings)
        return (
            f"{point['operation']} {format_size(int(point['bytes']))}"
            if "bytes" in settings
            else str(point["operation"])
        )

    def _name(self, step: Step) -> str:
        if step.purpose:
            return f"launch {step.number} ({step.purpose})"
        return f"launch {step.number} of {self._schedule.last_asked}"

    def _note(self, sentence: str) -> None:
        self._sentences.append(sentence)
        self._document.notes.append(sentence)

    def _fault(self, sentence: str) -> None:
        self._faults += 1
        self._note(sentence)

    def _finish(self, state: State) -> Outcome:
        self._document.state, self._document.finished = state, now_iso()
        self._directory.write(self._document)
        return Outcome(state, self._sentences)
