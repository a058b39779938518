"""Read the schemas of torch's ops, and derive from them the signatures that torch's parser prints.

`schemas.txt`, which `tools/record_schemas.py` writes, has a line for each overload, in torch's order. A
signature of the parser is an overload in the parser's words, together with the overload that takes the same
and writes to `out`. `signatures.json`, which `tools/record_signatures.py` writes, has what schemas do not
tell: older signatures that torch still takes, functions written in Python, which have none, and so on.
"""

from __future__ import annotations

import os
import re
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any

#: Types of schemas -> what the parser calls them.
_WORDS = {
    "Scalar": "Number", "SymInt": "int", "ScalarType": "torch.dtype", "Layout": "torch.layout",
    "Device": "torch.device", "MemoryFormat": "torch.memory_format", "Generator": "torch.Generator",
    "Dimname": "name",
}  # fmt: skip

#: What functions that make a tensor take last.
_OPTIONS = [
    "torch.dtype? dtype = None", "torch.layout? layout = None", "torch.device? device = None",
    "bool? pin_memory = False", "bool? requires_grad = False",
]  # fmt: skip

_MAKING = tuple(option.rpartition(" = ")[0] for option in _OPTIONS)

#: Kinds of arguments, each with one that is tried before it.
_AFTER = {
    ("Number", "Tensor"), ("Number?", "Tensor?"), ("int", "Tensor"),
    ("tuple of ints", "int"), ("tuple of ints", "int?"), ("tuple of Tensors", "tuple of ints"),
}  # fmt: skip


def _read_beside(file: str) -> str:
    # Not by pathlib: to import it takes 8 ms.
    with open(os.path.join(os.path.dirname(__file__), file), encoding="utf-8") as stream:
        return stream.read()


@cache
def recorded(file: str) -> Any:
    """Return what was recorded of torch in a JSON file of this folder."""
    # Imported when first needed: it takes 3 of the package's 75 ms.
    import json

    return json.loads(_read_beside(file))


@cache
def _text() -> str:
    return _read_beside("schemas.txt")


def _packet_at(place: int) -> str:
    """Return the op of the line of `schemas.txt` that a character lies in."""
    text = _text()
    start = text.rfind("\n", 0, place) + 1
    return text[start : text.index("(", start)].partition(".")[0]


@cache
def schemas(packet: str) -> dict[str, str]:
    """Return the schemas of an op by overload, in torch's order; none of what is no op."""
    text = _text()
    found = {}
    # The lines are sorted by op: to split them all takes 20 ms.
    start = bisect_left(range(len(text)), packet, key=_packet_at)
    while text.startswith((f"{packet}.", f"{packet}("), start):
        line = text[start : text.find("\n", start)]
        found[line[len(packet) + 1 : line.index("(")] or "default"] = line
        start += len(line) + 1
    return found


def signatures(place: str, name: str) -> Sequence[str]:
    """Return the signatures of a function or method as torch's parser prints them, in the order in which it
    tries them; none of a function that is written in Python.

    The place is 'Tensor' for a method, otherwise the namespace; torch's top level is ''.
    """
    known = recorded("signatures.json")
    found = known["signatures"][place].get(name, ())
    private = name.startswith("_") and not name.startswith("_foreach_")
    if place == "nn" or private or name in known["none"][place].split():
        return found
    # Older signatures are told beside those that are derived.
    is_whole = found and not found[-1].endswith("|deprecated")
    return found if is_whole else [*found, *derived(place, name, known["unbound"].split())]


def derived(place: str, name: str, unbound: Iterable[str]) -> list[str]:
    """Return the signatures that follow from schemas, without the overloads that Python does not have."""
    packet = f"{place}_{name}" if place in ("linalg", "fft", "special") else name
    found: dict[tuple[str, ...], list[str]] = {}
    for overload, schema in schemas(packet).items():
        # What takes no tensor and gives none is TorchScript's, as what takes a dictionary.
        if "Tensor" in schema and "Tensor, t" not in schema and "..." not in schema:
            parts, out, options = _read(schema)
            if place == "Tensor":
                if out or "Tensor input" not in parts:
                    continue
                parts.remove("Tensor input")
            if not (out and (f"{packet}.{overload}" in unbound or packet.startswith("_foreach_"))):
                known = found.setdefault(tuple(parts), [])
                known[:] = out + known + options
    return _by_priority(found)


def _read(schema: str) -> tuple[list[str], list[str], list[str]]:
    """Return the parameters of an overload, with the star, then `out` and the options where it takes them."""
    parts: list[str] = []
    outputs: list[str] = []
    for part in re.split(r", (?![^\[]*\])", schema[schema.index("(") + 1 : schema.rindex(") -> ")]):
        declared, _, default = part.partition("=")
        kind, _, name = declared.rpartition(" ")
        if "!" in kind and "*" in parts:
            outputs.append(_kind(kind))
        elif name == "self" and _kind(kind) == "Tensor":
            parts.append("Tensor input")
        elif part:
            parts.append(part if part == "*" else f"{_kind(kind)} {name}{_default(name, default)}")
    makes = "bool? pin_memory = None" in parts
    if makes:
        parts = [p for p in parts if not p.startswith(_MAKING)]
    if parts and parts[-1] == "*":
        parts.pop()
    several = len(outputs) > 1
    out = [f"{f'tuple of Tensors[{len(outputs)}]' if several else outputs[0]} out = None"] if outputs else []
    return parts, out, _OPTIONS if makes else []


def _kind(kind: str) -> str:
    """Return a type in the parser's words."""
    found = re.match(r"(\w+)(?:\(.*?\))?(\??)(\[\d*\])?(\??)", kind)
    assert found is not None
    base, optional, many, last = found.groups("")
    if not many:
        return _WORDS.get(base, base) + optional
    word = base if base == "Scalar" else _WORDS.get(base, base)
    return f"tuple of {word}s{many.replace('[]', '')}{last}"


def _default(name: str, text: str) -> str:
    """Return a default as the parser prints it."""
    if text.startswith("["):
        items = text[1:-1].split(", ")
        text = items[0] or "None" if len(set(items)) == 1 else f"{{{','.join(items)}}}"
    elif text.endswith("_format"):
        text = f"torch.{text}"
    elif name == "reduction":
        text = text.replace("1", "at::Reduction::Mean")
    elif re.fullmatch(r"-?\d+(\.\d*)?(e-?\d+)?", text) and not text.lstrip("-").isdigit():
        text = repr(float(text))
    return f" = {text}" if text else ""


def _by_priority(signatures: dict[tuple[str, ...], list[str]]) -> list[str]:
    """Return signatures in the order in which torch's parser tries them: tensors come before numbers."""
    kinds = {}
    for parts, last in signatures.items():
        text = ", ".join([*parts, *(["*"] if last and "*" not in parts else []), *last])
        kinds[text] = [p.partition(" = ")[0].rpartition(" ")[0] for p in parts if p != "*"]

    def order(text: str) -> tuple[int, str]:
        rank = max((1 + order(t)[0] for t in kinds if _is_after(kinds[text], kinds[t])), default=0)
        # torch's build sorts by its own words: IntArrayRef, Generator, TensorList.
        words = text.replace("tuple of Tensors", "TensorList").replace("tuple of Scalars", "ScalarList")
        return rank, words.replace("tuple", "Int").replace("torch.", "").replace(" = ", "=")

    return [f"({text})" for text in sorted(kinds, key=order)]


def _is_after(kinds: list[str], others: list[str]) -> bool:
    pairs = {(kind, other) for kind, other in zip(kinds, others) if kind != other}
    return len(kinds) == len(others) and bool(pairs) and pairs <= _AFTER
