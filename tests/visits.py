"""One look at a page in Chromium."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser, Locator, Page

STARTED_WITH = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]
UNFOLD = "document.querySelectorAll('details').forEach(fold => fold.open = true)"


class Visit:
    """One look at a page, with everything that it asked for and complained about."""

    def __init__(self, browser: Browser, path: Path, width: int = 1280, **settings: object) -> None:
        self.context = browser.new_context(viewport={"width": width, "height": 844}, **settings)  # type: ignore[arg-type]
        self.page = self.context.new_page()
        self.requests: list[str] = []
        self.complaints: list[str] = []
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.on("console", lambda message: self.complaints.append(message.text))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.goto(path.as_uri())

    def __enter__(self) -> Page:
        return self.page

    def __exit__(self, *_: object) -> None:
        self.context.close()


at_every_width = pytest.mark.parametrize("width", [1280, 390])
in_every_scheme = pytest.mark.parametrize("scheme", ["light", "dark"])


@contextmanager
def fitting(browser: Browser, path: Path, width: int, scheme: str) -> Iterator[Page]:
    """Look at a page that must be as wide as the window, ask for nothing but itself and complain of nothing."""
    visit = Visit(browser, path, width, color_scheme=scheme)
    with visit as page:
        assert page.evaluate("document.documentElement.scrollWidth") == width
        yield page
    assert all(url.startswith(("file:", "data:")) for url in visit.requests)
    assert visit.complaints == []


def right_edge(element: Locator) -> float:
    """Return how far to the right an element reaches, in pixels; it has to be drawn."""
    box = element.bounding_box()
    assert box is not None
    return box["x"] + box["width"]
