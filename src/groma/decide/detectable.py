"""Which differences runs can detect, by the copies of points that they measured (`groma run --calibrate`)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from groma.analysis import summarise
from groma.analysis.calibration import Calibration, calibration_of
from groma.decide.comparing import Compared
from groma.decide.sides import Side
from groma.errors import InputError
from groma.report.spread import sentences


def with_detectable(compared: Compared, sides: Sequence[Side]) -> Compared:
    """Return the comparison with sentences on what its runs' equal and slowed copies show.

    Raises InputError if no run has copies in enough launches.
    """
    runs = [run for side in sides for run in side.runs]
    calibrations = {run.path.name: calibration_of(summarise(run), summarise(run, copies=True)) for run in runs}
    usable = {name: calibration for name, calibration in calibrations.items() if calibration is not None}
    if not usable:
        names = ", ".join(calibrations)
        raise InputError(f"{names}: no copies of points in six launches; measure with groma run --calibrate")
    statements = [f"{name}: {sentence}" for name, calibration in usable.items() for sentence in sentences(calibration)]
    return replace(compared, remarks=[*compared.remarks, *statements, *_margin(compared.margin, list(usable.values()))])


def _margin(margin: float, calibrations: Sequence[Calibration]) -> list[str]:
    """Say whether the margin is as wide as what can be detected within a run."""
    detectable = [least for calibration in calibrations for _, least in calibration.detectable]
    if not detectable:
        return []
    within = (
        f"of {100 * margin:g} % is {'wider' if max(detectable) <= margin else 'narrower'} than the largest of these"
    )
    return [f"The margin {within}, {max(detectable):.1%}; separate runs differ by their run-to-run variation as well."]
