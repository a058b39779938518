"""Write explanations as one page of HTML that needs nothing else: no network, no file beside it, no server.

The page is the data of `Explanation.to_dict` and the scripts beside this file, which draw them: the picture,
laid out by dagre (an MIT-licensed library, shipped with its licence), and the equation, whose v can be
edited. What comes from the user's program (names, lines, paths) never becomes markup: it is in the page as
JSON in which "<" is escaped, and the scripts put it into text nodes. A content security policy allows exactly
the page's own script and style, by their hashes, and no request at all.
"""

import base64
import gzip
import hashlib
import html
import json
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any

from ...torch_names.version import VERSION
from .content import content_of

#: The scripts in the order in which they build on each other.
SCRIPTS = (
    "dagre.min.js", "numbers.js", "elements.js", "links.js", "findings.js", "source.js", "equation.js",
    "boxes.js", "picture.js", "details.js", "gradients.js", "curves.js", "main.js",
)  # fmt: skip

#: Characters of JSON from which on the data are compressed: 10,000 steps are several megabytes, most of it
#: repeated words.
LARGE = 60_000

#: Height in a notebook, in CSS pixels; the reader can drag it.
NOTEBOOK_HEIGHT = 720


def page_of(
    explanations: Sequence[Mapping[str, Any]], title: str | None = None,
    findings: Sequence[Mapping[str, Any]] | None = None, run: Mapping[str, Any] | None = None,
) -> str:  # fmt: skip
    """Return a page that shows what `to_dict` returns of explanations, findings and a run: an HTML document.

    With several explanations the page has a list to choose from; the title is by default the line of the
    first call. Findings stand first; None where nothing was looked for.
    """
    if title is None:
        title = explanations[0]["call"]["code"] if explanations else ""
        title = title or "pullback"
    script, style = _script(), _resource("page.css")
    return _resource("page.html").format(
        style_hash=_hash(style), script_hash=_hash(script), version=VERSION, title=html.escape(title),
        style=style, script=script, data=_data_element(content_of(explanations, findings, run)),
    )  # fmt: skip


def frame_of(explanations: Sequence[Mapping[str, Any]]) -> str:
    """Return the page of explanations as an element for a notebook."""
    return in_frame(page_of(explanations))


def in_frame(page: str) -> str:
    """Return a page as an element for a notebook: a frame of its own, so that neither disturbs the other."""
    return (
        f'<iframe sandbox="allow-scripts" title="Explanation" srcdoc="{html.escape(page)}" '
        f'style="width: 100%; height: {NOTEBOOK_HEIGHT}px; border: 0; resize: vertical"></iframe>'
    )


def _data_element(content: Any) -> str:
    """Return the data as an element that is no script; a "<" in it could end the element."""
    text = json.dumps(content, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    if len(text) < LARGE:
        escaped = text.replace("<", "\\u003c")
        return f'<script type="application/json" id="data">{escaped}</script>'
    packed = base64.b64encode(gzip.compress(text.encode(), mtime=0)).decode()
    return f'<script type="application/gzip" id="data" data-packed>{packed}</script>'


def _hash(text: str) -> str:
    """Return a script or style as a content security policy names it."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


@cache
def _script() -> str:
    library, *own = (_resource(name) for name in SCRIPTS)
    return library + '\n(() => {\n"use strict";\n' + "\n".join(own) + "\n})();\n"


@cache
def _resource(name: str) -> str:
    return files(__package__).joinpath(name).read_text(encoding="utf-8")
