"""The columns of a table with one row per sample."""

from __future__ import annotations

from groma.columns.column import real, text, whole
from groma.columns.launches import WHERE

SAMPLES = (
    *WHERE,
    text("operation", "Name of the operation."),
    whole("bytes", "Message size; null if the operation has none.", unit="bytes"),
    text("phase", "warmup, discarded (before the steady part) or sample; only samples are in statistics."),
    whole("number", "Place in time order within the phase, from 0."),
    whole("sample_ns", "Time between the two stamps, after the reduction over ranks."),
    real("time_ns", "Time of one figure: sample_ns / repetitions / divisor; a warm-up is one repetition."),
)
