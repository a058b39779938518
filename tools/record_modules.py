"""Record what torch prints for each snippet of tests/nn/snippets as tests/data/modules.json.

Run with a Python that has torch, from the project's root: ``python -m tools.record_modules``.
"""

from __future__ import annotations

import torch
from tests.nn.snippets import printed, snippets
from tests.recorded import save


def main() -> None:
    record = {}
    for name, snippet in snippets().items():
        first, again = (printed(snippet, torch) for _ in range(2))
        if first != again:
            raise SystemExit(f"{name} does not print the same twice")
        record[name] = first
    save("modules", record)
    print(f"{len(record)} snippets, {sum(map(len, record.values()))} lines")


if __name__ == "__main__":
    main()
