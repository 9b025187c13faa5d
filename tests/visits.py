"""One look at a page in Chromium."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

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
