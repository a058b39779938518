"""Record which of torch's functions `__torch_function__` sees: `tests/data/overridable.json`.

Place -> name -> how many arguments the function takes at least. Only functions are recorded that hand
themselves on when each argument is of a class with `__torch_function__`.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

from torch.overrides import get_testing_overrides

PLACES = ("", ".nn.functional", ".linalg", ".fft", ".special")


class Foreign:
    """An argument that remembers which function it was handed to."""

    called: Any = None

    @classmethod
    def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        cls.called = func


def least(function: Callable[..., Any]) -> int:
    """Return how many arguments a function takes at least; 1 where it takes any number."""
    parameters = inspect.signature(function).parameters.values()
    places = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return max(sum(p.default is p.empty and p.kind in places for p in parameters), 1)


def main() -> None:
    """Write the record."""
    stand_ins = {id(function): stand_in for function, stand_in in get_testing_overrides().items()}
    record: dict[str, dict[str, int]] = {}
    for place in PLACES:
        found = record[place] = {}
        for name, function in sorted(vars(import_module(f"torch{place}")).items()):
            if id(function) not in stand_ins:
                continue
            count = least(stand_ins[id(function)])
            Foreign.called = None
            try:
                function(*[Foreign()] * count)
            except (TypeError, ValueError):
                continue  # it takes something else first
            if Foreign.called is function:
                found[name] = count
    path = Path(__file__).parents[1] / "tests" / "data" / "overridable.json"
    path.write_text(json.dumps(record, indent=0, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()
