"""``python -m tests.differential.sparse`` compares sparse tensors of pullback with torch's, live.

``--show 3`` shows that many differences of each family and kind; ``--record`` writes what torch gives as
``tests/data/sparse.json``, which is compared where torch is missing.
"""

from __future__ import annotations

import argparse
import importlib
from collections import Counter

from tests.recorded import save

from . import record
from .cases import cases
from .run import is_meant, outcome


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.differential.sparse", description=__doc__)
    parser.add_argument("--show", type=int, default=0, help="differences shown of each family")
    parser.add_argument("--family", help="only this one")
    parser.add_argument("--layout", help="only this one")
    parser.add_argument("--record", action="store_true", help="write what torch gives, and compare nothing")
    options = parser.parse_args()
    torch = importlib.import_module("torch")
    if options.record:
        save("sparse", record(torch))
        return
    here = importlib.import_module("pullback")
    total, equal, shown = Counter[str](), Counter[str](), Counter[str]()
    for family, layout, expression in cases():
        if options.family not in (None, family) or options.layout not in (None, layout):
            continue
        expected, found = (outcome(family, layout, expression, module) for module in (torch, here))
        if not is_meant(expected):
            continue
        total[family] += 1
        equal[family] += expected == found
        if expected != found and shown[family] < options.show:
            shown[family] += 1
            print(f"{family}: {expression} of {layout or 'nothing'}")
            print(f"  expected {expected}\n  found    {found}")
    for family, count in total.items():
        print(f"{family}: {equal[family]} of {count} equal")
    print(f"all: {equal.total()} of {total.total()} equal ({100 * equal.total() / total.total():.2f} %)")


if __name__ == "__main__":
    main()
