"""Record which of torch's functions are built-in: `tests/data/builtin.json`.

Place -> name -> [module, name] as a built-in function says them, or null for a Python function.
"""

from __future__ import annotations

import json
import types
from importlib import import_module
from pathlib import Path

PLACES = ("", ".nn.functional", ".linalg", ".fft", ".special", ".sparse", ".nested", ".functional")


def main() -> None:
    """Write the record."""
    record: dict[str, dict[str, list[str] | None]] = {}
    for place in PLACES:
        held = vars(import_module(f"torch{place}"))
        record[place] = {
            name: [value.__module__, value.__name__] if isinstance(value, types.BuiltinFunctionType) else None
            for name, value in sorted(held.items())
            if isinstance(value, types.BuiltinFunctionType | types.FunctionType)
            and not name.startswith("__")
        }
    path = Path(__file__).parents[1] / "tests" / "data" / "builtin.json"
    path.write_text(json.dumps(record, indent=0, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()
