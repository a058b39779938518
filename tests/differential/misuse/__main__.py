"""`python -m tests.differential.misuse --only conv --show 5`: what torch refuses and pullback does not,
and the other way round, for developers.
"""

from __future__ import annotations

import argparse
import importlib
import json
import re
import time
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

from .calls import all_calls
from .compare import KINDS, difference
from .run import apart


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.differential.misuse", description=__doc__)
    parser.add_argument("--only", default="", help="a regular expression that a call's path has")
    parser.add_argument("--part", default="0:1", help="a:b, every b-th call from the a-th on")
    parser.add_argument("--kind", choices=KINDS, help="only differences of this kind")
    parser.add_argument("--show", type=int, default=0, help="print so many differences of each function")
    parser.add_argument("--reference", default="torch")
    parser.add_argument("--module", default="pullback")
    parser.add_argument("--json", type=Path, help="write all differences here")
    parser.add_argument("--cache", type=Path, help="a file that keeps the reference's outcomes")
    options = parser.parse_args()
    first, step = map(int, options.part.split(":"))
    by_path: dict[str, list[str]] = defaultdict(list)
    for path, expression in all_calls(options.only):
        by_path[path].append(expression)
    reference, tested = (importlib.import_module(name) for name in (options.reference, options.module))
    if hasattr(reference, "set_num_threads"):
        reference.set_num_threads(1)
    started = time.perf_counter()
    counts: Counter[str] = Counter()
    found: dict[str, list[tuple[str, str, Any, Any]]] = {}
    cache = json.loads(options.cache.read_text()) if options.cache and options.cache.exists() else {}
    pairs = [(path, e) for path, expressions in by_path.items() for e in expressions[first::step]]
    missing = [e for _, e in pairs if e not in cache]
    cache.update(zip(missing, apart(missing, reference)))
    for (path, e), seen in zip(pairs, apart([e for _, e in pairs], tested)):
        kind = difference(cache[e], seen)
        counts[kind or "equal"] += 1
        if kind is not None and options.kind in (None, kind):
            found.setdefault(path, []).append((kind, e, cache[e], seen))
    if options.cache:
        options.cache.write_text(json.dumps(cache))
    if options.json:
        options.json.write_text(json.dumps(found, indent=1))
    for path, differences in sorted(found.items(), key=lambda item: -len(item[1])):
        kinds = Counter(kind for kind, *_ in differences)
        print(f"{path:44} {len(differences):5}  {', '.join(f'{n} {k}' for k, n in kinds.most_common())}")
        for kind, expression, expected, seen in differences[: options.show]:
            print(f"    {kind}: {expression}\n      {_brief(expected)}\n      {_brief(seen)}")
    total = counts.total()
    print(", ".join(f"{counts[kind]} {kind}" for kind in ("equal", *KINDS)))
    print(f"{counts['equal'] / total:.2%} of {total} calls, {time.perf_counter() - started:.0f} s")


def _brief(outcome: Any) -> str:
    return re.sub(r"\s+", " ", ": ".join(map(str, outcome[1:] or outcome)))[:300]


if __name__ == "__main__":
    main()
