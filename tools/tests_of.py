"""List the tests of a file of the package: ``python -m tools.tests_of src/pullback/core/views.py``.

The test file of the same place and name comes first, then those that import the module, then those that name
what the file defines, most names first. An op's derivative, batching and compiled form are tested by its row
in ``tests/ops/samples``, a layer by what was recorded of torch: rows and recordings are listed, too.
"""

from __future__ import annotations

import ast
import re
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGE, TESTS = ROOT / "src" / "pullback", ROOT / "tests"
#: How many of those that only name what the file defines are listed.
MOST = 10


def defined(path: Path) -> set[str]:
    """Return the names that a file defines for others."""
    names: set[str] = set()
    for node in ast.parse(path.read_text("utf-8")).body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            names.add(node.name)
        elif isinstance(node, (ast.Assign, ast.AnnAssign)):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            names |= {target.id for target in targets if isinstance(target, ast.Name)}
    return {name for name in names if not name.startswith("_") and len(name) > 2}


def own_test(path: Path) -> Path | None:
    """Return the test file of the same place and name."""
    place = path.resolve().relative_to(PACKAGE)
    for folder in (place.parent, Path(*place.parts[:1]) if len(place.parts) > 1 else Path()):
        found = TESTS / folder / f"test_{place.stem.lstrip('_')}.py"
        if found.is_file():
            return found
    return None


def tests_of(path: Path) -> list[Path]:
    """Return the test files of a file of the package, the nearest first."""
    module = ".".join(("pullback", *path.resolve().relative_to(PACKAGE).with_suffix("").parts))
    holder = re.escape(module.rpartition(".")[0])
    imported = re.compile(rf"\b{re.escape(module)}\b|from {holder} import .*\b{path.stem}\b")
    names = defined(path)
    ranked = []
    for test in sorted(TESTS.rglob("*.py")):
        text = test.read_text("utf-8")
        count = len(names.intersection(re.findall(r"\w+", text)))
        if imported.search(text):
            ranked.append((0, -count, test))
        elif count and (test.name.startswith("test_") or "samples" in test.parts):
            ranked.append((1, -count, test))
    nearest = sorted(ranked)
    own = own_test(path)
    importing = [test for order, _, test in nearest if not order]
    naming = [test for order, _, test in nearest if order][:MOST]
    if not (own or importing or naming):
        recorded = ((data, data.read_text("utf-8")) for data in sorted(TESTS.rglob("*.json")))
        naming = [data for data, text in recorded if any(name in text for name in names)][:MOST]
    return list(dict.fromkeys([*([own] if own else []), *importing, *naming]))


if __name__ == "__main__":
    found = {test: None for given in sys.argv[1:] for test in tests_of(Path(given))}
    print("\n".join(str(test.relative_to(ROOT)) for test in found))
