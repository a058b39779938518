"""Write docs/exclusions.md from the package's list of what is not part of it.

Run after the list was changed, from the project's root: ``python -m tools.make_exclusions``.
"""

from __future__ import annotations

from pathlib import Path
from textwrap import fill

from pullback.torch_names.exclusions import WHOLE, absent

PAGE = Path(__file__).parents[1] / "docs" / "exclusions.md"

HEAD = """# What is not part of pullback

Every public name of every public module of torch 2.13 is in pullback or on this page, with the reason. To ask
for one of these is an `AttributeError`, which mostly says so. Names that begin with an underscore are torch's
own affair and not listed.

This page is written by `python -m tools.make_exclusions` from `src/pullback/torch_names/exclusions.txt`; a
test holds it against the names that torch has.
"""


def listed(what: str, names: list[str]) -> str:
    """A paragraph of names."""
    text = f"{what}: {', '.join(f'`{name}`' for name in names)}"
    return f"\n{fill(text, 110, break_long_words=False, break_on_hyphens=False)}\n"


def page() -> str:
    """The text of the page."""
    parts = [HEAD]
    for why, places in absent().items():
        parts.append(f"\n## {why[0].upper()}{why[1:]}\n")
        for place, names in places.items():
            whole = place == WHOLE
            what = "Whole modules" if whole else f"`{place}`"
            parts.append(listed(what, [f"torch.{name}" for name in names] if whole else names))
    return "".join(parts)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
