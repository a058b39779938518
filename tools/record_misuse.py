"""Record right calls of torch's public functions, and what torch says of the same calls spoilt.

Run with a Python that has torch, from the project's root: ``python -m tools.record_misuse``. It writes
``tests/data/right_calls.json`` (with ``--calls``, from torch's own database of ops) and
``tests/data/misuse.json``, a sample of the spoilt calls, and ``tests/data/misuse_families.json``, the calls
of mended families, with torch's outcomes. With ``--mended`` it asks torch anew about the calls of
``tests/data/mended_calls.json``, which pullback once answered otherwise.
"""

from __future__ import annotations

import itertools
import sys
import warnings
from typing import Any

import torch
from tests.differential.misuse.call import Call, Code, T, names, read
from tests.differential.misuse.compare import judged
from tests.differential.misuse.families import FAMILIES
from tests.differential.misuse.run import apart
from tests.recorded import load, save

#: Calls of one function that are taken.
TAKEN = 3
LARGEST = 512
#: One in so many wrong calls is recorded.
SAMPLE = 97


class Unwritable(Exception):
    """An argument that no expression makes."""


def written(value: Any) -> Any:
    if isinstance(value, torch.Tensor):
        if value.numel() > LARGEST or value.layout is not torch.strided:
            raise Unwritable
        dtype = str(value.dtype).removeprefix("torch.")
        plain = dtype in ("float32", "complex64", "float64", "complex128", "bool", "float16", "bfloat16")
        return T(dtype, tuple(value.shape), None if plain else tuple(value.flatten().tolist()))
    if isinstance(value, (torch.dtype, torch.layout, torch.memory_format)):
        return Code(str(value))
    if isinstance(value, torch.Size):
        return tuple(value)
    if type(value) in (list, tuple):
        return type(value)(map(written, value))
    if value is None or type(value) in (bool, int, float, complex, str):
        return value
    raise Unwritable


def exists(path: str) -> bool:
    place: Any = torch
    for part in path.split(".")[1:]:
        place = getattr(place, part, None)
        if place is None:
            return False
    return callable(place)


def right_calls() -> list[str]:
    from torch.testing._internal.common_methods_invocations import op_db

    found: dict[str, None] = {}
    for op in op_db:
        last = op.name.split(".")[-1]
        if last.startswith("_") or op.name.startswith(("torch.", "jiterator")) or op.name == "empty_strided":
            continue
        path = f"torch.{op.name}" if exists(f"torch.{op.name}") else f".{op.name}"
        kinds = [d for d in (torch.float32, torch.int64, torch.complex64, torch.bool) if d in op.dtypes]
        if not kinds:
            continue
        seen = set()
        try:
            samples = list(itertools.islice(op.sample_inputs("cpu", kinds[0]), 64))
        except Exception as error:  # noqa: BLE001  # samples that need what this machine lacks
            print(op.name, error)
            continue
        for sample in samples:
            try:
                call = Call(
                    path, (written(sample.input), *map(written, sample.args)),
                    tuple((k, written(v)) for k, v in sample.kwargs.items() if k not in ("device",)),
                )  # fmt: skip
            except Unwritable:
                continue
            shape = [(p, type(v), len(v.shape) if isinstance(v, T) else 0) for p, v in call.places()]
            text = call.expression
            if str(shape) in seen or any(0 in v.shape for _, v in call.places() if isinstance(v, T)):
                continue
            try:
                eval(text, dict(names(torch)))
            except Exception:  # noqa: BLE001  # an op of the database that is called otherwise than its name
                continue
            seen.add(str(shape))
            assert read(text) == call, text
            found[text] = None
            if len(seen) == TAKEN:
                break
    return list(found)


def methods(calls: list[str]) -> list[str]:
    """The names of the called functions that are methods, too, and those of their in-place variants."""
    names_ = dict.fromkeys(read(c).path.split(".")[-1] for c in calls if c.startswith("torch."))
    return [m for n in names_ for m in (n, n + "_") if hasattr(torch.Tensor, m)]


def main() -> None:
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    if "--mended" in sys.argv:
        mended = [expression for expression, _ in load("mended_calls")]
        save("mended_calls", [list(pair) for pair in zip(mended, apart(mended, torch))])
        return
    if "--calls" in sys.argv:
        calls = right_calls()
        save("right_calls", calls)
        save("methods_of_calls", methods(calls))
        print(len(calls), "right calls of", len({read(c).path for c in calls}), "functions")
    from tests.differential.misuse.calls import all_calls

    sample = [expression for _, expression in itertools.islice(all_calls(), 0, None, SAMPLE)]
    pairs = zip(sample, apart(sample, torch))
    save("misuse", [[expression, seen] for expression, seen in pairs if judged(seen)])
    families = [expression for group in FAMILIES.values() for expression in group]
    save("misuse_families", dict(zip(families, apart(families, torch))))
    print(len(sample), "wrong calls")


if __name__ == "__main__":
    main()
