"""The C program of a point: fewer than 100 lines, MPI and libc alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groma.reproduce.operations import OPERATIONS, REDUCTIONS, TYPES
from groma.text.printable import printable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groma.reproduce.method import Method
    from groma.reproduce.operations import Operation

_MEETINGS = {
    "none": [],
    "barrier": ["MPI_Barrier(control);"],
    "dissemination": [
        "for (int d = 1; d < ranks; d *= 2) {",
        "  int to = (rank + d) % ranks, from = (rank - d + ranks) % ranks;",
        "  MPI_Sendrecv(NULL, 0, MPI_BYTE, to, 0, NULL, 0, MPI_BYTE, from, 0, control, MPI_STATUS_IGNORE);",
        "}",
    ],
    "roundtime": [
        "double start = now_ns() + LEAD_NS; /* all ranks are on one host: they read one clock */",
        "MPI_Bcast(&start, 1, MPI_DOUBLE, 0, control);",
        "late = now_ns() > start;",
        "while (now_ns() < start) continue;",
    ],
}
# Behind an array: Linux copies more slowly from the last pages that a program wrote (decision 36).
_UNUSED_BYTES = 1 << 18
_ALIGNED = [
    "static element *array(size_t messages, size_t offset) {",
    "  size_t step = 2 * ALIGNMENT, steps = (messages * COUNT * sizeof(element) + offset + UNUSED) / step + 2;",
    "  char *memory = aligned_alloc(step, steps * step); /* UNUSED: the last pages written are copied more slowly */",
    "  if (!memory) MPI_Abort(MPI_COMM_WORLD, 1);",
    "  return (element *)((char *)memset(memory, 0, steps * step) + ALIGNMENT + offset);",
    "}",
]
_OF_MPI = [
    "static element *array(size_t messages) {",
    "  void *memory = NULL;",
    "  MPI_Alloc_mem((MPI_Aint)(messages * COUNT * sizeof(element)), MPI_INFO_NULL, &memory);",
    "  if (!memory) MPI_Abort(MPI_COMM_WORLD, 1);",
    "  return (element *)memset(memory, 0, messages * COUNT * sizeof(element));",
    "}",
]
_COUNTED = ["if (ranks != RANKS) return MPI_Abort(MPI_COMM_WORLD, 2), 2; /* another number than was measured */"]
_OVER_RANKS = {"max": "MPI_MAX", "min": "MPI_MIN", "mean": "MPI_SUM"}


def source(method: Method, head: Sequence[str]) -> str:
    """Return the program; `head` are the lines of the comment at its top."""
    operation = OPERATIONS[method.operation]
    parts = [
        ["/*", *(f" * {_of_comment(line)}".rstrip() for line in head), " */"],
        [f"#include <{name}.h>" for name in ("mpi", "stdio", "stdlib", "string", "time")],
        ["", *_constants(method, operation)],
        ["", *_clock(method)],
        ["", *_values(method, operation)],
        ["", "static void call(void) {", *_indented(_named(method, operation.calls)), "}"],
        ["", *_main(method, operation)],
    ]
    return "\n".join(line for part in parts for line in part) + "\n"


def _of_comment(line: str) -> str:
    """Return a line, which has texts of records in it, that stays one line of its comment."""
    return " ".join(printable(line).split("\n")).replace("*/", "* /")


def _constants(method: Method, operation: Operation) -> list[str]:
    numbers = {"RANKS": method.ranks, "SAMPLES": method.samples, "WARMUP": method.warmup}
    if method.in_blocks:
        numbers["CALLS"] = method.calls
    if operation.expected:
        numbers |= {"COUNT": method.elements, "ROOT": method.root}
        if not method.mpi_allocates:
            numbers |= {"ALIGNMENT": method.alignment, "OFFSET": method.receive_offset, "UNUSED": _UNUSED_BYTES}
    lines = [f"enum {{ {', '.join(f'{name} = {value}' for name, value in numbers.items())} }};"]
    if method.sync == "roundtime":
        lines.append(f"static const double LEAD_NS = {method.lead_ns};")
    lines += ["static MPI_Comm comm, control; /* for what is timed, and for bringing the ranks together */"]
    lines += ["static int rank, ranks;"]
    if operation.expected:
        lines += [f"typedef {TYPES[method.datatype][0]} element;", "static element *to_send, *received;"]
    return lines


def _named(method: Method, calls: Sequence[str]) -> list[str]:
    """Return the calls with the names of the datatype and of the reduction."""
    in_mpi, reduction = TYPES[method.datatype][1], REDUCTIONS.get(method.reduction, REDUCTIONS["sum"])[0]
    return [call.replace("TYPE", in_mpi).replace("OPERATION", reduction) for call in calls]


def _clock(method: Method) -> list[str]:
    body = ["return 1e9 * MPI_Wtime();"]
    if method.clock == "monotonic":
        body = [
            "struct timespec now;",
            "clock_gettime(CLOCK_MONOTONIC, &now);",
            "return 1e9 * (double)now.tv_sec + (double)now.tv_nsec;",
        ]
    compare = ["double one = *(const double *)a, other = *(const double *)b;", "return (one > other) - (one < other);"]
    return [
        *("static double now_ns(void) {", *_indented(body), "}"),
        *("", "static int by_size(const void *a, const void *b) {", *_indented(compare), "}"),
    ]


def _values(method: Method, operation: Operation) -> list[str]:
    """Return the functions that fill the arrays and know what must arrive; nothing if nothing is sent."""
    if not operation.expected:
        return []
    lines = [
        "/* Element k of the message of one rank to another. */",
        "static element value(int from, int to, int k) { return (element)((from + 3 * to + k) % 8); }",
        "",
        *(_OF_MPI if method.mpi_allocates else _ALIGNED),
    ]
    if operation.reduces:
        step = REDUCTIONS[method.reduction][1]
        lines += ["", "static element total(int k) {", "  element all = 0;"]
        lines += [f"  for (int r = 0; r < ranks; ++r) {step};", "  return all;", "}"]
    return lines


def _main(method: Method, operation: Operation) -> list[str]:
    body = [
        "MPI_Init(&argc, &argv);",
        "MPI_Comm_rank(MPI_COMM_WORLD, &rank);",
        *_members(method),
        "MPI_Comm_dup(comm, &control);",
        "MPI_Comm_size(comm, &ranks);",
        *([] if method.launched > method.ranks else _COUNTED),
        *_filled(method, operation),
        *_loop(method),
        *_checked(method, operation),
        *_reduced(method),
        *_printed(method),
        "return MPI_Finalize();",
    ]
    return ["int main(int argc, char **argv) {", *_indented(body), "}"]


def _members(method: Method) -> list[str]:
    """Return how the ranks that take part get their communicator."""
    if method.launched == method.ranks:
        return ["MPI_Comm_dup(MPI_COMM_WORLD, &comm);"]
    return [
        "MPI_Comm_split(MPI_COMM_WORLD, rank < RANKS ? 0 : MPI_UNDEFINED, rank, &comm);",
        "if (comm == MPI_COMM_NULL) return MPI_Finalize(); /* the other ranks are idle */",
    ]


def _filled(method: Method, operation: Operation) -> list[str]:
    if not operation.expected:
        return []
    sends, receives = (_messages(of_all=every) for every in (operation.sends_all, operation.receives_all))
    elements, to = _elements(of_all=operation.sends_all), _block(of_all=operation.sends_all)
    one_array = method.same_array or method.operation == "bcast"
    only = "rank == ROOT && " if method.operation == "bcast" else ""
    offset, none = ("", "") if method.mpi_allocates else (", OFFSET", ", 0")
    return [
        f"received = array({receives}{offset});",
        "to_send = received; /* one array sends and receives */" if one_array else f"to_send = array({sends}{none});",
        f"for (long i = 0; {only}i < {elements}; ++i) to_send[i] = value(rank, {to}, i % COUNT);",
    ]


def _loop(method: Method) -> list[str]:
    """Return the timed loop: single calls, or blocks of calls, after the ranks were brought together."""
    missing = method.sync == "roundtime"
    inner = [*_MEETINGS[method.sync], "begin[made] = now_ns();"]
    inner += ["for (int c = 0; c < CALLS; ++c) call();" if method.in_blocks else "call();", "end[made] = now_ns();"]
    if missing:
        inner += ["MPI_Allreduce(MPI_IN_PLACE, &late, 1, MPI_INT, MPI_MAX, control);"]
    counts = " && ".join([*(["i >= WARMUP"] if not method.in_blocks else []), *(["!late"] if missing else [])])
    inner += [f"made += {counts or 1};"]
    lines = ["static double begin[SAMPLES + 1], end[SAMPLES + 1];", f"int made = 0{', late = 0' * missing};"]
    if method.in_blocks:
        lines += ["for (int c = 0; c < WARMUP; ++c) call();"]
    last = " && i < WARMUP + 1000L * SAMPLES" * missing
    index = "long i = 0; " if counts else "; "
    step = "; ++i" if counts else ";"
    lines += [f"for ({index}made < SAMPLES{last}{step}) {{", *_indented(inner), "}"]
    if missing:
        lines += [
            "if (made < SAMPLES) return MPI_Abort(MPI_COMM_WORLD, 3), 3; /* the ranks missed their starts too often */"
        ]
    return lines


def _checked(method: Method, operation: Operation) -> list[str]:
    if not operation.expected:
        return []
    expected = operation.same if method.same_array else operation.expected
    expected = expected.replace("from", _block(of_all=operation.receives_all)).replace("k)", "i % COUNT)")
    only = "rank == ROOT && " if operation.at_root else ""
    return [
        f"for (long i = 0; {only}i < {_elements(of_all=operation.receives_all)}; ++i) {{",
        f"  if (received[i] == {expected}) continue;",
        '  fprintf(stderr, "rank %d received wrong data\\n", rank);',
        "  return MPI_Abort(MPI_COMM_WORLD, 1), 1; /* which may come back */",
        "}",
    ]


def _messages(*, of_all: bool) -> str:
    return "ranks" if of_all else "1"


def _elements(*, of_all: bool) -> str:
    return "(long)COUNT * ranks" if of_all else "COUNT"


def _block(*, of_all: bool) -> str:
    """Return whose message element `i` of an array belongs to."""
    return "(int)(i / COUNT)" if of_all else "0"


def _reduced(method: Method) -> list[str]:
    """Return how the times of the ranks in one sample become one, on rank 0 in `end`."""
    if method.reduce == "span":
        return [
            "/* From the first rank's entry to the last one's exit. */",
            _onto_rank_0("begin", "MPI_MIN"),
            _onto_rank_0("end", "MPI_MAX"),
            "for (int i = 0; i < SAMPLES; ++i) end[i] -= begin[i];",
        ]
    lines = ["for (int i = 0; i < SAMPLES; ++i) end[i] -= begin[i];"]
    if method.reduce != "root":
        lines.append(_onto_rank_0("end", _OVER_RANKS[method.reduce]))
    return lines


def _onto_rank_0(array: str, operation: str) -> str:
    send = f"rank ? {array} : MPI_IN_PLACE"
    return f"MPI_Reduce({send}, {array}, SAMPLES, MPI_DOUBLE, {operation}, 0, control);"


def _printed(method: Method) -> list[str]:
    """Return how rank 0 makes the figure of the samples, in microseconds."""
    trimmed = method.outliers == "trim_quarters"
    low, count = ("SAMPLES / 4", "n") if trimmed else ("0", "SAMPLES")
    first, times = ("low + ", "end + low") if trimmed else ("", "end")
    estimate = {
        "median": [f"double figure = (end[{first}({count} - 1) / 2] + end[{first}{count} / 2]) / 2;"],
        "min": [f"double figure = *({times});" if trimmed else "double figure = end[0];"],
        "mean": ["double figure = 0;", f"for (int i = 0; i < {count}; ++i) figure += end[{first}i] / {count};"],
    }[method.estimator]
    per_figure = " * ".join([*(["CALLS"] if method.in_blocks else []), *(["ranks"] if method.reduce == "mean" else [])])
    scale = f"({method.divisor}e3 * {per_figure})" if per_figure else f"{method.divisor}e3"
    return [
        "if (rank == 0) {",
        "  qsort(end, SAMPLES, sizeof *end, by_size);",
        *([f"  int low = {low}, n = SAMPLES - 2 * low;"] if trimmed else []),
        *_indented(estimate),
        f'  printf("%.4f us\\n", figure / {scale});',
        "}",
    ]


def _indented(lines: Sequence[str]) -> list[str]:
    return [f"  {line}" for line in lines]
