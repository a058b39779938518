"""Record what schemas do not tell of signatures that torch's parser prints in its messages as
src/pullback/tensor/signatures.json.

They are generated from the declarations that come with torch, as torch's own build generates its parsers;
those that `pullback.tensor.schemas` derives are left out. Only names that pullback has are written. Run with
a Python that has torch, from the project's root: ``python -m tools.record_signatures``.
"""

from __future__ import annotations

import inspect
import json
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
import torchgen

import pullback
from pullback.tensor.schemas import derived, schemas

PACKAGED = Path(torchgen.__file__).parent / "packaged"
TARGET = Path(pullback.__file__).parent / "tensor" / "signatures.json"

#: What the build calls a type → what messages call it.
TYPES = {
    "Tensor": "Tensor", "Scalar": "Number", "int64_t": "int", "SymInt": "int", "double": "float",
    "bool": "bool", "ScalarType": "torch.dtype", "Layout": "torch.layout", "Device": "torch.device",
    "MemoryFormat": "torch.memory_format", "Generator": "torch.Generator", "c10::string_view": "str",
    "std::string": "str", "TensorList": "tuple of Tensors", "IntArrayRef": "tuple of ints",
    "SymIntArrayRef": "tuple of ints", "ArrayRef<double>": "tuple of floats", "Dimname": "name",
    "DimnameList": "tuple of names", "Storage": "torch.Storage", "Stream": "Stream",
    "ScalarList": "tuple of Scalars", "c10::List<::std::optional<Tensor>>": "tuple of Tensors",
    "ITensorListRef": "tuple of Tensors", "ArrayRef<Scalar>": "tuple of Scalars",
}  # fmt: skip


def printed(signature: str) -> str:
    """A signature of the build as messages have it; ``?`` and ``[n]`` stay behind the types."""
    inside = signature[signature.index("(") + 1 : signature.rindex(")")]
    parts = []
    for part in re.split(r", (?![^{]*\})", inside) if inside else []:
        if part == "*":
            parts.append(part)
            continue
        declared, equals, default = part.partition("=")
        kind, name = declared.rsplit(" ", 1)
        base, size, optional = re.fullmatch(r"([\w:<>]+?)(\[\d*\])?(\??)", kind).groups()  # type: ignore[union-attr]  # of the build's making
        base = "TensorList" if base == "Tensor" and size else base
        parts.append(f"{TYPES[base]}{size or ''}{optional} {name}{f' = {default}' if equals else ''}")
    return f"({', '.join(parts)})" + ("|deprecated" if signature.endswith("|deprecated") else "")


#: Signatures of functions that torch binds by hand, for the texts of which it has no declarations.
BY_HAND = {
    "": {"nonzero": ["(Tensor input, *, bool as_tuple = False, Tensor out = None)"]},
    "Tensor": {"item": ["()"], "nonzero": ["()", "(*, bool as_tuple)"]},
}


def _torch_module(place: str) -> Any:
    return {"": torch, "nn": torch.nn.functional}.get(place) or getattr(torch, place)


def _overloads() -> list[str]:
    """Return the overloads of ops that pullback has, with the names of their ops."""
    owners = ("", pullback), ("", pullback.Tensor), ("", pullback.nn.functional), *(
        (f"{place}_", getattr(pullback, place)) for place in ("linalg", "fft", "special")
    )
    packets = {f"{prefix}{name}" for prefix, owner in owners for name in dir(owner)}
    return [f"{packet}.{overload}" for packet in packets for overload in schemas(packet)]


def _is_unbound(overload: str) -> bool:
    """Return whether torch's build made an overload that writes to `out` and that Python does not have."""
    packet, _, name = overload.partition(".")
    op = getattr(getattr(torch.ops.aten, packet, None), name, None)
    made = op is not None and "out" in name and torch.Tag.generated in op.tags
    return made and not packet.endswith("_copy")


def main() -> None:
    sys.path.insert(0, str(PACKAGED))
    from torchgen.gen import parse_native_yaml

    from autograd import gen_python_functions as build  # type: ignore[import-not-found]  # in torchgen's folder

    native = PACKAGED / "ATen" / "native"
    declared = parse_native_yaml(str(native / "native_functions.yaml"), str(native / "tags.yaml"))
    bound = [f for f in declared.native_functions if build.should_generate_py_binding(f)]
    old = str(PACKAGED / "autograd" / "deprecated.yaml")
    places: dict[str, tuple[Callable[[Any], bool], Any]] = {
        "": (build.is_py_torch_function, pullback),
        "Tensor": (build.is_py_variable_method, pullback.Tensor),
        "linalg": (build.is_py_linalg_function, pullback.linalg),
        "fft": (build.is_py_fft_function, pullback.fft),
        "special": (build.is_py_special_function, pullback.special),
        "nn": (build.is_py_nn_function, pullback.nn.functional),
    }
    record: dict[str, dict[str, list[str]]] = {place: {} for place in places}
    none: dict[str, str] = {}
    unbound = sorted(filter(_is_unbound, _overloads()))
    for place, (belongs, owner) in places.items():
        pairs = build.load_signatures(bound, old, method=place == "Tensor")
        grouped = build.group_filter_overloads(pairs, belongs)
        in_c = set(BY_HAND.get(place, ()))
        for base, overloads in sorted(grouped.items(), key=lambda item: str(item[0])):
            name = str(base).removeprefix(f"{place}_") if place in ("linalg", "fft", "special") else str(base)
            # Functions that torch writes in Python have Python's own messages.
            theirs = getattr(torch.Tensor if place == "Tensor" else _torch_module(place), name, None)
            if name.startswith("_") or not hasattr(owner, name) or inspect.isfunction(theirs):
                continue
            in_c.add(name)
            texts = [printed(group.signature.signature_str()) for group in build.group_overloads(overloads)]
            follow = derived(place, name, unbound)
            older = [text for text in texts if text.endswith("|deprecated")]
            if place == "nn" or texts != [*older, *follow]:
                record[place][name] = texts
            elif older:
                record[place][name] = older
        record[place].update(BY_HAND.get(place, {}))
        named = [n for n in dir(owner) if n[0] != "_" and n not in in_c and place != "nn"]
        none[place] = " ".join(n for n in named if derived(place, n, unbound))
    told = {"unbound": " ".join(unbound), "none": none, "signatures": record}
    TARGET.write_text(json.dumps(told, indent=0, ensure_ascii=False) + "\n")
    print({place: len(names) for place, names in record.items()})


if __name__ == "__main__":
    main()
