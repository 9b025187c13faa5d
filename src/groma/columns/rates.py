"""Columns that follow from a point's time: rates, and multiples of the hardware minimum."""

from __future__ import annotations

from groma.columns import formulas
from groma.columns.column import Formula, Made, Member, OfLaunch, Printed, real, text, whole

_RECORDED = Member()
_LIMITS = Made("groma.analysis.minimum:limits_in")
_LIMIT = Made("groma.analysis.minimum:limits_of")
_TCP = Formula(lambda of: of["figure_ns"] / of["tcp_ns"])
_FIRST = Formula(lambda of: formulas.ratio(of["first_call_ns"], of["figure_ns"]))

RATES = (
    whole(
        "bytes_moved",
        "Bytes moved by one repetition, as the operation's bandwidth counts them.",
        _RECORDED,
        "first",
        "bytes",
    ),
    whole(
        "messages", "Messages of one repetition, as the operation counts them; 0 if it does not.", _RECORDED, "first"
    ),
    real(
        "bandwidth_mb_s",
        "bytes_moved over the time of one repetition, by the figure; MB is 10^6 bytes.",
        Formula(formulas.bandwidth),
        Formula(formulas.bandwidth),
        printed=Printed(
            "bandwidth",
            "MB/s",
            "MB/s",
            "number",
            definition=(
                "Bytes moved by one repetition over the time of one repetition; MB is 10^6 bytes. Which bytes count is "
                "the operation's own definition. Its interval has the inverse ends of the time's interval."
            ),
        ),
    ),
    real(
        "algorithm_bandwidth_mb_s",
        "Size of the collective (bytes, or bytes times ranks) over its time.",
        Formula(formulas.algorithm_bandwidth),
        Formula(formulas.algorithm_bandwidth),
        printed=Printed(
            "algorithm bandwidth",
            "alg. MB/s",
            "MB/s",
            "number",
            where="page",
            definition=(
                "Size of a collective over the time of one call, with the size as NCCL's tests define it: `bytes`, or "
                "`bytes` times ranks if a rank has a block for every rank (allgather, alltoall, gather, scatter, "
                "reduce_scatter). Not for point-to-point, barrier and scan."
            ),
        ),
    ),
    real(
        "bus_bandwidth_mb_s",
        "Algorithm bandwidth times the operation's bus factor (NCCL tests).",
        Formula(formulas.bus_bandwidth),
        Formula(formulas.bus_bandwidth),
        printed=Printed(
            "bus bandwidth",
            "bus MB/s",
            "MB/s",
            "number",
            where="page",
            definition=(
                "Algorithm bandwidth times the share of the size that must pass a rank's link with any algorithm, "
                "among p ranks: 1 for bcast and reduce, 2 (p - 1) / p for allreduce, (p - 1) / p for the others (NCCL "
                "tests, doc/PERFORMANCE.md). It can be compared with the bandwidth of the hardware, and over numbers "
                "of ranks."
            ),
        ),
    ),
    real(
        "messages_per_s",
        "messages over the time of one repetition, by the figure.",
        Formula(formulas.message_rate),
        Formula(formulas.message_rate),
        printed=Printed(
            "message rate",
            "million/s",
            "million/s",
            "number",
            per=1e6,
            needs="window",
            definition=("Messages of one repetition over its time, all pairs together."),
        ),
    ),
)

BESIDE = (
    text(
        "limit",
        "Kind of the hardware minimum, without MPI: core to core, or a driver's copy to or from a device.",
        _LIMITS,
    ),
    real(
        "limit_ns", "Time of that minimum: the same bytes handed from core to core in the same launch.", _LIMITS, _LIMIT
    ),
    real(
        "limit_multiple",
        "Time of the point as a multiple of the minimum.",
        Formula(lambda of: of["figure_ns"] / of["limit_ns"]),
        _LIMIT,
        printed=Printed(
            "x hardware minimum",
            "x minimum",
            "",
            "multiple",
            only="known",
            of_range=False,
            definition=(
                "How many times longer the point took than this machine needs without MPI. The minimum is the shortest "
                "time in which hand-written loops hand the same bytes from core to core through shared memory: one way "
                "of a round trip, or, for windows of messages and blocks of one-way collective calls, the time per "
                "message with many in flight. Of three ways (one copy by the receiver, a half by each rank, two copies "
                "in chunks) the shortest counts. Figure and minimum are of launches in one state of the machine (cache "
                "line times within a factor of 1.5). A headline bandwidth or rate is printed as a share of the "
                "maximum. The sender has changed every cache line of the message beforehand; MPI's message changes "
                "only with touch=write, so a library that copies it once may find it in the receiver's cache, and be "
                "faster. A collective is compared with one hand-off of one rank's message, or of a cache line if it "
                "has none: a tight limit for two ranks, a loose one for more. Only if all ranks are on one host, and "
                "two of them could run at the same time (all of them, if more took part)."
            ),
        ),
    ),
    real(
        "tcp_ns",
        "Time of the same bytes over plain TCP between two hosts; null on one host. Not a limit.",
        _LIMITS,
        "least",
    ),
    real(
        "tcp_multiple",
        "Time of the point as a multiple of it.",
        _TCP,
        _TCP,
        printed=Printed(
            "x TCP",
            "x TCP",
            "",
            "multiple",
            only="known",
            of_range=False,
            definition=(
                "How many times longer the point took than the same bytes over a plain TCP connection between two of "
                "its hosts, the shortest of all launches: one way of a round trip, or, for windows of messages and "
                "blocks of collective calls, the time per message with many in flight. It is a reference, not a limit. "
                "Only if the ranks are on several hosts."
            ),
        ),
    ),
    real(
        "foreign_cores",
        "CPU time other processes took during the launch, on the busiest node.",
        OfLaunch("foreign_cores"),
        unit="cores",
    ),
)


FIRST_CALL = real(
    "first_call_ratio",
    "Time of the first call over the figure.",
    _FIRST,
    _FIRST,
    inner=True,
    printed=Printed(
        "first call",
        "first call",
        "x time",
        "multiple",
        only="always",
        definition=(
            "Time of the very first call, before warm-up, over the figure; median over launches. No other figure "
            "contains it."
        ),
    ),
)
