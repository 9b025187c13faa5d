"""The columns of a table with one row per sample."""

from __future__ import annotations

from groma.columns.column import Column
from groma.columns.launches import WHERE

SAMPLES = (
    *WHERE,
    Column("operation", "text", "Name of the operation."),
    Column("bytes", "whole", "Message size; null where the operation has none.", unit="bytes"),
    Column("phase", "text", "warmup, discarded (before the steady part) or sample; only samples are in statistics."),
    Column("number", "whole", "Place in time order within the phase, from 0."),
    Column("sample_ns", "whole", "Time between the two stamps, after the reduction over ranks."),
    Column("time_ns", "real", "Time of one figure: sample_ns / repetitions / divisor; a warm-up is one repetition."),
)
