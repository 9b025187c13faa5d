"""What the OSU Micro-Benchmarks 3 to 7 print: a title, then lines of a size and figures under headings.

They say neither the library nor, but for pairs, how many ranks took part.
"""

from __future__ import annotations

from dataclasses import replace

from groma.programs.printed import DATATYPES, Cells, Importer, Line, Table

# How a window is synchronised (-s), and the calls for which its lock is exclusive.
EPOCHS = {
    "lock/unlock": "lock",
    "post/start/complete/wait": "pscw",
    "fence": "fence",
    "flush": "flush",
    "flush_local": "flush_local",
    "lock_all/unlock_all": "lock_all",
}
_LOCKED_ALONE = ("get_accumulate", "fetch_and_op", "compare_and_swap")
_WINDOWS = {"create": "created", "allocate": "allocated", "dynamic": "dynamic"}
# Programs of two sides, which say where the buffers of each are. A stream goes from the first to the other.
SIDED = ("pingpong", "stream", "stream_persistent", "bistream", "bistream_persistent", "message_rate")
ONE_WAY = ("stream", "stream_persistent")
VENDORS = {"cuda": "CUDA", "hip": "ROCM"}
_MOVED = "Transmit Size"  # of a derived datatype (-D), of which OSU prints no more


def _settle(line: Line, table: Table, cells: Cells) -> Line:
    settings = dict[str, object]()
    if datatype := DATATYPES.get(f"MPI_{table.last('datatype')}"):
        settings["datatype"] = datatype
    if window := table.count("window"):
        line = replace(line, ranks=2 * table.count("pairs") or None)
        settings["window"] = window
    if made := table.last("window_made"):
        settings["rma_window"] = _WINDOWS[made]
    test = IMPORTER.test(line.test)
    if test is not None and (epoch := EPOCHS.get(table.last("epoch"))):
        call = test.operation.partition("/")[0]
        alone = epoch == "lock" and call in _LOCKED_ALONE
        settings |= {"operation": f"{call}/{epoch}", "epoch_lock": "exclusive" if alone else "shared"}
    if _MOVED in cells:
        line = replace(line, moved=int(float(cells[_MOVED])))
        settings["layout"] = "derived"
    return _in_memory(replace(line, settings=settings), table)


def _in_memory(line: Line, table: Table) -> Line:
    """Return the line with its kinds of memory; with another test, which is not read, if it does not say them."""
    vendor, test = table.last("device"), IMPORTER.test(line.test)
    if not vendor or test is None:
        return line
    kind = next(kind for kind, name in VENDORS.items() if name == vendor)
    kinds = {"D": kind, "M": f"{kind}_managed", "H": "host"}
    first, second = (kinds.get(table.last(side), "") for side in ("sends", "receives"))
    if test.operation not in SIDED:
        first = second = first or kind
    if first == second and first:
        return replace(line, settings={**line.settings, "memory": first})
    if first and second and test.operation in ONE_WAY:
        return replace(line, settings={**line.settings, "send_memory": first, "receive_memory": second})
    return replace(line, test=f"MPI-{vendor} {line.test}")


IMPORTER = Importer.of(__file__, _settle)
