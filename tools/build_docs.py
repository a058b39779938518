"""A hook of ProperDocs: runs the programs that the pages show, so that what they say is true.

Comments in a Markdown page stand for what a program does:

    <!-- run examples/gradient_argument/vector.py -->     its source and what it prints
    <!-- page examples/gradient_argument/vector.py -->    the page that explains its calls of backward

A picture that a page shows and no file holds, `![...](valley.png)`, is one that the blocks of the page save.

A program that fails ends the build, and so does a notebook, which the plugin mkdocs-jupyter runs.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import runpy
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path
from typing import NamedTuple

from properdocs.config.defaults import ProperDocsConfig
from properdocs.exceptions import PluginError
from properdocs.structure.files import File, Files
from properdocs.structure.pages import Page
from properdocs.utils import get_relative_url

ROOT = Path(__file__).parents[1]
COMMENT = re.compile(r"^<!-- (run|page) (\S+) -->$", re.MULTILINE)
PICTURE = re.compile(r"!\[[^\]]*\]\((\w+\.png)\)")
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)

#: Words that newcomers look for, and the place of the site that is to be found.
FOUND = {
    "install": "install/",
    "Jupyter": "install/#jupyter",
    "transformers": "works-with/",
    "DataLoader": "reference/torch.utils.data.DataLoader/",
    "gradient": "gradient-argument/",
    "several processes": "tutorials/processes/",
}

#: Where the site has the explanation pages.
PAGES = "explanations"


class Outcome(NamedTuple):
    """What a program printed, and the page of its calls."""

    printed: str
    page: str


def on_config(config: ProperDocsConfig) -> ProperDocsConfig:
    """List the design notes in the navigation: each of them, in the order of their numbers."""
    notes = sorted(Path(config.docs_dir, "design").glob("*.md"))
    config.nav = [
        {title: [f"design/{note.name}" for note in notes]} if inside == "design" else {title: inside}
        for section in config.nav or []
        for title, inside in section.items()
    ]
    return config


def on_files(files: Files, config: ProperDocsConfig) -> Files:
    """Add the explanation pages and the pictures that the Markdown pages show."""
    for file in files.documentation_pages():
        for kind, program in COMMENT.findall(file.content_string):
            if kind == "page" and files.get_file_from_path(address(program)) is None:
                files.append(File.generated(config, address(program), content=outcome(program).page))
        if made := pictures(file.content_string):
            folder = file.src_uri.rpartition("/")[0]
            for name, content in made.items():
                uri = f"{folder}/{name}" if folder else name
                files.append(File.generated(config, uri, content=content))
    return files


def on_page_markdown(markdown: str, page: Page, config: ProperDocsConfig, files: Files) -> str:
    """Put programs in the place of the comments."""

    def shown(match: re.Match[str]) -> str:
        kind, program = match.groups()
        if kind == "run":
            return (
                f"{block((ROOT / program).read_text(encoding='utf-8'), 'python')}\n\nIt prints:\n\n"
                + block(outcome(program).printed, "text")
            )
        return frame(get_relative_url(address(program), page.url), f"Explanation of {program}")

    return COMMENT.sub(shown, markdown)


def on_post_build(config: ProperDocsConfig) -> None:
    """End the build where the search does not know a page under the word that a newcomer looks for."""
    index = json.loads(Path(config.site_dir, "search", "search_index.json").read_text(encoding="utf-8"))
    texts = {entry["location"]: f"{entry['title']} {entry['text']}" for entry in index["docs"]}
    lost = [word for word, place in FOUND.items() if word.lower() not in texts.get(place, "").lower()]
    if lost:
        raise PluginError(f"the search does not find {', '.join(lost)} where tools/build_docs.py says")


def address(program: str) -> str:
    """Where the site has the explanation page of a program."""
    return f"{PAGES}/{Path(program).stem}.html"


def block(text: str, language: str) -> str:
    """Text as it stands."""
    return f"```{language}\n{text.rstrip()}\n```"


def frame(url: str, title: str) -> str:
    """An explanation page within a page."""
    return (
        f'<iframe class="explanation" src="{url}" title="{title}" loading="lazy"></iframe>\n'
        f'<p class="explanation-link"><a href="{url}" target="_blank">Open this page alone</a></p>\n'
    )


@cache
def outcome(program: str) -> Outcome:
    """Run a program with torch meaning pullback, its calls recorded."""
    import pullback
    from pullback.command import run as runner
    from pullback.explain.page import page_of

    runner.install()
    printed = io.StringIO()
    arguments, sys.argv = sys.argv, [program]
    try:
        with contextlib.redirect_stdout(printed), contextlib.chdir(ROOT), pullback.explain.record() as record:
            runpy.run_path(program, run_name="__main__")
    finally:
        sys.argv = arguments
    page = page_of([explanation.to_dict() for explanation in record.explanations])
    return Outcome(printed.getvalue(), page)


def pictures(markdown: str) -> dict[str, bytes]:
    """Run the blocks of a page that shows pictures; return the files of those."""
    names = PICTURE.findall(markdown)
    if not names:
        return {}
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder, "tutorial.py")
        program.write_text("\n".join(BLOCK.findall(markdown)), encoding="utf-8")
        command = [sys.executable, "-m", "pullback", program.name]
        subprocess.run(command, cwd=folder, env={**os.environ, "MPLBACKEND": "Agg"}, check=True)
        return {name: Path(folder, name).read_bytes() for name in names}
