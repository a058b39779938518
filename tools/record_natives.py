"""Record what functions of torch.nn.functional pass on as src/pullback/tensor/natives.json.

torch writes them in Python; most end in a call of a function of its own in C, whose parser says what is wrong
with the arguments. The record has that call for each such function, where what is given are parameters or
constants. Run with a Python that has torch, from the project's root: ``python -m tools.record_natives``.
"""

from __future__ import annotations

import ast
import inspect
import json
import re
import sys
import textwrap
from collections.abc import Collection
from pathlib import Path
from typing import Any

import torch.nn.functional as F
from tools.record_signatures import PACKAGED

import pullback

TARGET = Path(pullback.__file__).parent / "tensor" / "natives.json"
OWNERS = ("torch", "torch._C._nn", "_VF", "torch.special")
#: What expressions come to that are given to functions in C, where only the kind matters.
KINDS = {r"torch\.backends\..*": "True", r"_Reduction\.get_enum\(reduction\)|reduction_enum": "1"}


def given(node: ast.expr, parameters: list[str]) -> str | None:
    """A parameter's name or a constant; None for what only running would tell."""
    if isinstance(node, ast.Name) and node.id in parameters:
        return node.id
    text = ast.unparse(node)
    if isinstance(node, ast.Constant):
        return text
    return next((value for pattern, value in KINDS.items() if re.fullmatch(pattern, text)), None)


def passed_on(function: Any, in_c: Collection[str]) -> str | None:
    names = list(inspect.signature(function).parameters)
    tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    calls = []
    for node in ast.walk(tree):
        ours = isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
        if ours and ast.unparse(node.func.value) in OWNERS and node.func.attr in in_c:  # type: ignore[attr-defined, union-attr]  # asked for above
            args = [given(a, names) for a in node.args]  # type: ignore[attr-defined]  # likewise
            named = {k.arg: given(k.value, names) for k in node.keywords}  # type: ignore[attr-defined]  # likewise
            if not node.func.attr.endswith("_") and any(a in names for a in args):  # type: ignore[attr-defined]  # likewise
                calls.append((node.func.attr, args, named))  # type: ignore[attr-defined]  # likewise
    if len({name for name, *_ in calls}) != 1:
        return None
    name, args, named = calls[-1]
    if None in args or any(key != value for key, value in named.items()):
        return None
    return f"{name}({', '.join([*args, *(['*'] if named else []), *named])})"


def functions_in_c() -> set[str]:
    """Return the names of the functions in C that Python has."""
    sys.path.insert(0, str(PACKAGED))
    from torchgen.gen import parse_native_yaml

    from autograd import gen_python_functions as build  # type: ignore[import-not-found]  # in torchgen's folder

    native = PACKAGED / "ATen" / "native"
    declared = parse_native_yaml(str(native / "native_functions.yaml"), str(native / "tags.yaml"))
    bound = [f for f in declared.native_functions if build.should_generate_py_binding(f)]
    there = (build.is_py_torch_function, build.is_py_nn_function)
    return {str(f.func.name.name) for f in bound if any(belongs(f) for belongs in there)}


#: Functions that put the input's sizes in the place of None before they pass a size on.
COMPLETED = ("adaptive_max_pool2d_with_indices", "adaptive_max_pool3d_with_indices")


def main() -> None:
    in_c = functions_in_c()
    record = {}
    for name in sorted(vars(F)):
        function = getattr(F, name)
        here = hasattr(pullback.nn.functional, name) and inspect.isfunction(function)
        if name.startswith("_") or not here or name in COMPLETED:
            continue
        # Some are one of two functions, by whether indices are wanted; the other has a name of its own.
        both = inspect.getclosurevars(function).nonlocals
        found = passed_on(both.get("if_false", function), in_c)
        if found is not None:
            record[name] = found
    TARGET.write_text(json.dumps(record, indent=0, ensure_ascii=False) + "\n")
    print(len(record), *record)


if __name__ == "__main__":
    main()
