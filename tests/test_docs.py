"""The documentation as it stands in the repository: what its pages name is there, nothing made is
checked in.
"""

from __future__ import annotations

import json
import pkgutil
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGES = sorted((ROOT / "docs").rglob("*.md"))
COMMENTS = [
    (page.name, *found)
    for page in PAGES
    for found in re.findall(r"^<!-- (\w+) (\S+) -->$", page.read_text(encoding="utf-8"), re.MULTILINE)
]


@pytest.mark.parametrize("page, kind, name", COMMENTS)
def test_what_a_page_shows_is_there(page: str, kind: str, name: str) -> None:
    if kind == "doc":
        assert pkgutil.resolve_name(name).__doc__
    else:
        assert kind in ("run", "page")
        assert (ROOT / name).is_file()


def test_every_program_is_shown() -> None:
    shown = {name for _, _, name in COMMENTS}
    assert {f"docs/programs/{file.name}" for file in (ROOT / "docs/programs").iterdir()} <= shown


def test_every_page_is_in_the_navigation() -> None:
    listed = set(re.findall(r"[\w/.-]+\.md", (ROOT / "mkdocs.yml").read_text(encoding="utf-8")))
    pages = {page.relative_to(ROOT / "docs").as_posix() for page in PAGES}
    notebooks = {f"notebooks/{file.stem}.md" for file in (ROOT / "docs/notebooks").glob("*.ipynb")}
    assert listed == {page for page in pages if not page.startswith("design/")} | notebooks


@pytest.mark.parametrize(
    "file", sorted((ROOT / "docs/notebooks").glob("*.ipynb")), ids=lambda file: file.stem
)
def test_notebooks_are_checked_in_without_results(file: Path) -> None:
    for cell in json.loads(file.read_text(encoding="utf-8"))["cells"]:
        assert not cell.get("outputs")
        assert cell.get("execution_count") is None
