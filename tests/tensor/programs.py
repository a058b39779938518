"""One-line programs that torch and pullback must answer alike: what they give, warn of and raise.

A line of ``tests/tensor/cases/<topic>.txt`` is an expression, or statements and an expression with ``;;``
between them. It finds `torch`, `np`, some modules, ``x = torch.ones(3)``, the subclasses `Sub`, `Sub2` (of
Sub) and `Oth` of Tensor, `rt`, which pickles and unpickles, and `bits`, a digest of a tensor's bytes.
"""

from __future__ import annotations

import copy
import hashlib
import json
import math
import operator
import pickle
import re
import warnings
from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).parent

#: Each is a file of lines, and a file of what torch answered.
TOPICS = sorted(path.stem for path in (HERE / "cases").glob("*.txt"))

#: Texts that differ from run to run, from package to package, or that say where in torch's sources they come
#: from.
_ELSEWHERE = (
    (re.compile(r"0x[0-9a-f]+"), "0x"),
    (re.compile(r"pullback\."), "torch."),
    (re.compile(r" \(Triggered internally at .*?\)"), ""),
    (re.compile(r"<class '[\w.]*<locals>\.(\w+)'>"), r"<class '\1'>"),
)

#: NumPy's remarks on torch's older form of its protocols, which pullback has in the present form.
_PROTOCOL = re.compile("__array_wrap__ must accept context|__array__ implementation doesn't accept a copy")

#: What torch remarks on itself, in whatever line first uses a part of it.
_OWN = re.compile("`torch.jit.script` is deprecated")


_SUBCLASS = re.compile(r"\b(Sub2?|Oth)\b")


def cases(topic: str) -> list[str]:
    """The lines of a topic."""
    lines = (HERE / "cases" / f"{topic}.txt").read_text().splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def recorded(topic: str) -> dict[str, str]:
    """What torch answered."""
    answers: dict[str, str] = json.loads((HERE / "data" / f"programs_{topic}.json").read_text())
    return answers


def answer(line: str, torch: Any) -> str:
    """Run a line with ``torch`` meaning a package; return the result, or the error, and the warnings."""
    setup, _, expression = line.rpartition(";;")
    names = _names(torch)
    if _SUBCLASS.search(line):  # three classes made for each line took a third of all lines' time
        names |= _subclasses(torch)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            exec(setup, names)
            text = _shown(eval(expression, names), torch)
        except Exception as error:  # noqa: BLE001  # any error is an answer here
            text = f"{type(error).__name__}: {error}"
    given = dict.fromkeys(f"{item.category.__name__}: {item.message}" for item in caught)
    text = "\n".join([text, *(line for line in given if not (_PROTOCOL.search(line) or _OWN.search(line)))])
    for pattern, replacement in _ELSEWHERE:
        text = pattern.sub(replacement, text)
    return text


def _names(torch: Any) -> dict[str, Any]:
    def rt(value: Any, protocol: int = 2) -> Any:
        return pickle.loads(pickle.dumps(value, protocol))

    def bits(value: Any) -> str:
        """A digest of the elements' bytes."""
        whole = value.view(torch.int16) if value.dtype == torch.bfloat16 else value
        return hashlib.sha256(whole.contiguous().numpy().tobytes()).hexdigest()[:12]

    return {
        "__name__": "__main__", "torch": torch, "np": np, "pickle": pickle, "copy": copy,
        "operator": operator, "math": math, "rt": rt, "bits": bits, "x": torch.ones(3),
    }  # fmt: skip


def _subclasses(torch: Any) -> dict[str, Any]:
    class Sub(torch.Tensor):
        pass

    class Sub2(Sub):
        pass

    class Oth(torch.Tensor):
        pass

    return {"Sub": Sub, "Sub2": Sub2, "Oth": Oth}


def _shown(value: Any, torch: Any) -> str:
    """The text of a result; of tensors also class, dtype, strides and whether they require grad."""
    if isinstance(value, torch.Tensor):
        strides = tuple(value.stride())
        return f"{type(value).__name__} {value!r} {value.dtype} {strides} {value.requires_grad}"
    if isinstance(value, tuple | list) and any(isinstance(item, torch.Tensor) for item in value):
        return f"{type(value).__name__}[{', '.join(_shown(item, torch) for item in value)}]"
    return repr(value)
