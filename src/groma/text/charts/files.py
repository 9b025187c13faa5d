"""A figure (`groma.text.charts.figure`) as PDF, with its lines as lines and its font inside, and as PNG.

Both need the extra `figures`, which is imported only here.
"""

from __future__ import annotations

import importlib
import re
from io import BytesIO
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

from groma.errors import InputError

_SVG = "{http://www.w3.org/2000/svg}"
_DPI = 600
_TOKEN = re.compile(r"[A-Za-z]|-?(?:\d+\.?\d*|\.\d+)")
_ROOM = {"M": 2, "L": 2, "H": 1, "V": 1, "Z": 0}  # numbers after each letter


def pdf(svg: str, font: Path | None = None) -> bytes:
    """Return a figure as a PDF of one page; `font` is a TrueType file.

    Raises InputError if the extra is not installed, or the font lacks a letter.
    """
    root, loaded = _read(svg, font, "a PDF")
    _, _, width, height = map(float, root.get("viewBox", "").split())
    target = BytesIO()
    page = _module("reportlab.pdfgen.canvas", "a PDF").Canvas(
        target,
        pagesize=(width, height),
        invariant=True,
        initialFontName=loaded.fontName,  # else Helvetica would be named, and not be inside
    )
    page.setAuthor("")
    page.setCreator("Groma")
    page.setTitle(root.findtext(f"{_SVG}title"))
    page.setSubject(root.findtext(f"{_SVG}desc"))
    page.translate(0, height)
    page.scale(1, -1)  # SVG counts from the top
    size = float(root.get("font-size", ""))
    for element in root:
        page.saveState()
        _place(page, element.get("transform", ""))
        _DRAWN.get(element.tag.removeprefix(_SVG), _nothing)(page, element, (loaded.fontName, size))
        page.restoreState()
    page.save()
    return target.getvalue()


def png(svg: str, font: Path | None = None) -> bytes:
    """Return a figure as a PNG of 600 dots an inch; see `pdf`."""
    _, loaded = _read(svg, font, "a PNG")
    resvg = _module("resvg_py", "a PNG")
    return bytes(
        resvg.svg_to_bytes(
            svg_string=svg,
            dpi=_DPI,
            skip_system_fonts=True,
            font_files=[str(loaded.face.filename)],
            sans_serif_family=_text(loaded.face.familyName),
        )
    )


def _read(svg: str, font: Path | None, what: str) -> tuple[ET.Element, Any]:
    """Return the figure, and its font after it is known to have all its letters."""
    fonts = _module("reportlab.pdfbase.ttfonts", what)
    file = font or Path(_module("reportlab", what).__file__).parent / "fonts" / "Vera.ttf"
    try:
        loaded = fonts.TTFont(file.stem, str(file))
    except fonts.TTFError as error:
        raise InputError(f"{file} cannot be used as a font ({error}): give a TrueType file (.ttf)") from error
    _module("reportlab.pdfbase.pdfmetrics", what).registerFont(loaded)
    root = ET.fromstring(svg)  # noqa: S314 - it is Groma's own
    letters = {letter for element in root.iter(f"{_SVG}text") for letter in element.text or ""}
    if lacking := sorted(letter for letter in letters if ord(letter) not in loaded.face.charToGlyph):
        raise InputError(f"the font {file.name} has no {' '.join(lacking)}: give another with --font")
    return root, loaded


def _module(name: str, what: str) -> Any:  # noqa: ANN401 - a library that may not be there
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise InputError(f"{what} needs another library: pip install reportlab resvg-py, or write an .svg") from error


def _text(name: str | bytes) -> str:
    return name.decode() if isinstance(name, bytes) else name


def _place(page: Any, transform: str) -> None:  # noqa: ANN401 - a canvas of reportlab
    for name, numbers in re.findall(r"(\w+)\(([^)]*)\)", transform):
        values = [float(number) for number in numbers.split()]
        if name == "translate":
            page.translate(*values)
        elif name == "scale":
            page.scale(values[0], values[0])
        else:
            page.rotate(values[0])


def _path(page: Any, element: ET.Element, _font: tuple[str, float]) -> None:  # noqa: ANN401 - as above
    path, x, y = page.beginPath(), 0.0, 0.0
    tokens = _TOKEN.findall(element.get("d", ""))
    while tokens:
        letter = tokens.pop(0)
        own = [float(tokens.pop(0)) for _ in range(_ROOM[letter.upper()])]
        along = letter.upper()
        if letter.islower():
            own = [value + (y if along == "V" or at else x) for at, value in enumerate(own)]
        if along == "Z":
            path.close()
            continue
        x, y = (own[0], y) if along == "H" else (x, own[0]) if along == "V" else (own[0], own[1])
        (path.moveTo if along == "M" else path.lineTo)(x, y)
    fills, strokes = _paint(page, element)
    page.drawPath(path, fill=fills, stroke=strokes)


def _paint(page: Any, element: ET.Element) -> tuple[bool, bool]:  # noqa: ANN401 - as above
    """Set colours and line of an element; return whether it is filled and has a line."""
    colours = _module("reportlab.lib.colors", "a PDF")
    fill, stroke = (element.get(name, "none") for name in ("fill", "stroke"))
    if fill != "none":
        page.setFillColor(colours.HexColor(_long(fill)))
    if stroke != "none":
        page.setStrokeColor(colours.HexColor(_long(stroke)))
        page.setLineWidth(float(element.get("stroke-width", "1")))
        page.setLineJoin(1)
        page.setDash([float(part) for part in element.get("stroke-dasharray", "").split()])
    return fill != "none", stroke != "none"


def _long(colour: str) -> str:
    return "#" + "".join(2 * digit for digit in colour[1:]) if len(colour) == 4 else colour


def _rect(page: Any, element: ET.Element, _font: tuple[str, float]) -> None:  # noqa: ANN401 - as above
    fills, strokes = _paint(page, element)
    page.rect(*(float(element.get(name, "0")) for name in ("x", "y", "width", "height")), fill=fills, stroke=strokes)


def _circle(page: Any, element: ET.Element, _font: tuple[str, float]) -> None:  # noqa: ANN401 - as above
    fills, strokes = _paint(page, element)
    page.circle(*(float(element.get(name, "0")) for name in ("cx", "cy", "r")), fill=fills, stroke=strokes)


def _letters(page: Any, element: ET.Element, font: tuple[str, float]) -> None:  # noqa: ANN401 - as above
    _paint(page, element)
    page.setFont(*font)
    page.translate(float(element.get("x", "0")), float(element.get("y", "0")))
    page.scale(1, -1)
    write = {"middle": page.drawCentredString, "end": page.drawRightString, "start": page.drawString}
    write[element.get("text-anchor", "start")](0, 0, element.text or "")


def _nothing(_page: Any, _element: ET.Element, _font: tuple[str, float]) -> None:  # noqa: ANN401 - as above
    """Draw nothing: title and description are the document's."""


_DRAWN = {"path": _path, "rect": _rect, "circle": _circle, "text": _letters}
