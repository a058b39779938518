"""Chromium for the tests of the page: Debian's, headless, driven by playwright; skipped without either."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

#: Chromium as root in a container, and silent: it must not speak to anyone while it starts.
FLAGS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
]  # fmt: skip


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    chromium = shutil.which("chromium")
    if chromium is None:
        pytest.skip("no chromium: apt-get install chromium")
    driver = pytest.importorskip("playwright.sync_api", reason="no playwright: pip install '.[dev]'")
    with driver.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        browser.new_context()  # one for all tests: a page costs a tenth of it
        yield browser
        browser.close()


class Visit:
    """A page that was opened, with everything it asked for and complained about."""

    def __init__(self, page: Any, file: Path) -> None:
        self.page = page
        self.address = file.as_uri()
        self.requests: list[str] = []
        self.complaints: list[str] = []
        page.on("request", lambda request: self.requests.append(request.url))
        page.on("console", lambda message: self.complaints.append(message.text))
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.goto(self.address)
        page.wait_for_selector("html[data-ready]")

    def texts(self, selector: str) -> list[str]:
        return [text.strip() for text in self.page.locator(selector).all_inner_texts()]


@pytest.fixture
def visit(browser: Any, tmp_path: Path) -> Iterator[Callable[..., Visit]]:
    """Opens a document: ``visit(html, width=1200, dark=False)``. A page that asked or complained fails."""
    visits: list[Visit] = []

    def open_page(html: str, width: int = 1200, dark: bool = False) -> Visit:
        file = tmp_path / f"page{len(visits)}.html"
        file.write_text(html, encoding="utf-8")
        page = browser.contexts[0].new_page()
        page.set_viewport_size({"width": width, "height": 800})
        page.emulate_media(color_scheme="dark" if dark else "light")
        visits.append(Visit(page, file))
        return visits[-1]

    yield open_page
    for each in visits:
        each.page.close()
        assert each.complaints == []
        assert each.requests == [each.address]
