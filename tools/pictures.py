"""A part of a page of Groma as a small PNG, for docs/gallery.md and the tutorials.

    python -m tools.pictures PAGE.html docs/pictures/quick.png --to '#chart-latency' --hide nav

The part begins with the first element that `--from` selects and ends with the first that `--to` selects; without `--to`
they are the same element. Look at the picture: it must show no path of this machine.
"""

from __future__ import annotations

import io
import shutil
from pathlib import Path

import click
from PIL import Image
from playwright.sync_api import sync_playwright

_MARGIN = 16
_SCALE = 1.25  # sharp, and still small
_COLOURS = 32  # and as many greys
_GREY = 40  # the most by which the parts of one differ


@click.command()
@click.argument("page", type=click.Path(path_type=Path, exists=True))
@click.argument("picture", type=click.Path(path_type=Path))
@click.option("--from", "first", default=".page-head", show_default=True, metavar="SELECTOR")
@click.option("--to", "last", metavar="SELECTOR", help="Default: the element of --from alone.")
@click.option("--hide", multiple=True, metavar="SELECTOR")
@click.option("--width", default=900, show_default=True, metavar="PIXELS")
def main(*, page: Path, picture: Path, first: str, last: str | None, hide: tuple[str, ...], width: int) -> None:
    """Write a part of a page as PNG."""
    browser_path = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))))
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=browser_path, args=["--no-sandbox"])
        tab = browser.new_page(
            viewport={"width": width, "height": 900}, device_scale_factor=_SCALE, color_scheme="light"
        )
        tab.goto(page.resolve().as_uri())
        for selector in hide:
            tab.add_style_tag(content=f"{selector} {{ display: none !important }}")
        boxes = [tab.locator(selector).first.bounding_box() for selector in (first, last or first)]
        top, end = (box["y"] + at * box["height"] for at, box in enumerate(boxes) if box is not None)
        begin = max(0.0, top - _MARGIN)
        clip = {"x": 0.0, "y": begin, "width": float(width), "height": end + _MARGIN - begin}
        shot = tab.screenshot(full_page=True, clip=clip)  # type: ignore[arg-type] # a typed dict of these
        browser.close()
    reduced = _reduced(Image.open(io.BytesIO(shot)).convert("RGB"))
    reduced.save(picture, optimize=True)
    click.echo(f"{picture}: {reduced.width} x {reduced.height}, {picture.stat().st_size / 1024:.0f} KiB")


def _reduced(image: Image.Image) -> Image.Image:
    """Return the image in its most frequent greys and colours: a band of light grey and a small orange mark stay."""
    counts = sorted(image.getcolors(image.width * image.height) or [], reverse=True)
    known = [tuple(colour) for _, colour in counts if isinstance(colour, tuple)]
    vivid = [colour for colour in known if max(colour) - min(colour) > _GREY][:_COLOURS]
    greys = [colour for colour in known if max(colour) - min(colour) <= _GREY][:_COLOURS]
    palette = Image.new("P", (1, 1))
    palette.putpalette([part for colour in (*greys, *vivid) for part in colour])
    return image.quantize(palette=palette, dither=Image.Dither.NONE)


if __name__ == "__main__":
    main()
