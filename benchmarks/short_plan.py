"""A short plan, as a site would keep for a check every day: a tenth of a second a point."""

HEAD = """
name = "{name}"
launches = {launches}
order = "shuffled"

[defaults]
stop = "time"
slot_s = 0.06

[[points]]
operation = "pingpong"
bytes = "8, 64K"
"""


def short_plan(name: str, launches: int, *points: tuple[str, str]) -> str:
    """Return a plan of ping-pong and these operations with their message sizes, as TOML."""
    others = [f'\n[[points]]\noperation = "{operation}"\nbytes = "{sizes}"\n' for operation, sizes in points]
    return HEAD.format(name=name, launches=launches) + "".join(others)
