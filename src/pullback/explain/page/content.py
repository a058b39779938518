"""Make of explanations, findings and a training run the data that a page holds: no more than it shows."""

import linecache
from collections.abc import Iterable, Mapping, Sequence
from math import prod
from typing import Any

import numpy as np
from numpy import ndarray

from ..shown import figures, plain_number
from .groups import Folding

#: Elements of the largest covector on the path that the page holds; of larger ones it has the norm.
SHOWN = 64

#: Elements of the largest gradient that is written as numbers; of a larger one there is the picture.
WRITTEN = 40

#: Lines of the longest program that is shown whole; of a longer one the lines around those that matter.
MOST_LINES = 300

#: Lines shown around one that matters.
AROUND = 4


def content_of(
    explanations: Sequence[Mapping[str, Any]], findings: Sequence[Mapping[str, Any]] | None = None,
    run: Mapping[str, Any] | None = None,
) -> dict[str, Any]:  # fmt: skip
    """Return the data of a page of what `to_dict` returns of explanations, findings and a run.

    `findings` is None where nothing was looked for.
    """
    calls = [_call(explanation) for explanation in explanations]
    return {
        "calls": calls, "findings": None if findings is None else list(findings),
        "sources": sources([*_places(calls), *((f["file"], f["line"]) for f in findings or ())]), "run": run,
    }  # fmt: skip


def _call(explanation: Mapping[str, Any]) -> dict[str, Any]:
    graph = explanation["graph"]
    folding = Folding(graph)
    tree = folding.tree()
    scalar = sum(prod(output["covector"]["value"]["shape"]) for output in explanation["outputs"]) == 1
    nodes = [
        _without({**_on_the_path(node), "title": _title(node, folding)}, "scopes", "members")
        for node in graph["nodes"]
        if node["kind"] != "group"
    ]
    edges = [_rounded(_without_long_value(edge)) for edge in graph["edges"]]
    return {
        **explanation,
        "leaves": [_leaf(leaf, scalar) for leaf in explanation["leaves"]],
        "graph": {"nodes": nodes, "edges": edges},
        "tree": tree,
    }


def _title(node: Mapping[str, Any], folding: Folding) -> str | None:
    """Return what a step is called, with the number of its steps where it is a recurrent layer."""
    title, inside = folding.titles.get(node["id"]), node.get("inside")
    if inside is None or inside["across"] != "step":
        return title
    return f"{title or node['known_as']} ×{inside['count']}"


def _leaf(leaf: Mapping[str, Any], scalar: bool) -> dict[str, Any]:
    """Return a leaf without what the page works out by itself: contributions, and J where it is one row.

    A gradient that is drawn has its elements in the picture, and of the other values the norm is shown.
    """
    kept = _without(leaf, "jacobian", "contributions", "why_no_contributions")
    if scalar and leaf.get("heat") is not None:
        kept["jacobians"] = [{**j, "value": None} for j in leaf["jacobians"]]
        kept["zeros"] = _share_of_zeros(leaf["gradient"])
        for name in ("value", "gradient", "before", "after"):
            kept[name] = _without_elements(leaf[name])
    return kept


def _share_of_zeros(value: Mapping[str, Any]) -> float:
    size = prod(value["shape"])
    if "summary" in value:
        return float(value["summary"]["zeros"]) / size
    return float((_elements(value) == 0).mean())


def _without_elements(value: Mapping[str, Any] | None) -> Mapping[str, Any] | None:
    """Return a value that is not small as its figures."""
    if value is None or "summary" in value or prod(value["shape"]) <= WRITTEN:
        return value
    found = figures(_elements(value))
    summary = {name: plain_number(number) for name, number in found.items()}
    return {"shape": value["shape"], "dtype": value["dtype"], "summary": summary}


def _elements(value: Mapping[str, Any]) -> ndarray:
    """Return the elements of a value that is there whole; of complex ones the magnitudes."""
    found = np.array(value["data"], np.float64)  # the words "nan" and "inf" are numbers to NumPy
    return np.hypot(found[..., 0], found[..., 1]) if found.ndim > len(value["shape"]) else found


def _without(part: Mapping[str, Any], *names: str) -> dict[str, Any]:
    return {name: value for name, value in part.items() if name not in names}


def _on_the_path(node: Mapping[str, Any]) -> dict[str, Any]:
    """Return a step with no longer covectors, and no more digits, than are shown."""
    incoming = node["incoming"]
    return {
        **node,
        "incoming": incoming and _rounded(_without_long_value(incoming)),
        "value": _rounded(node.get("value")),
    }


def _without_long_value(part: Mapping[str, Any]) -> Mapping[str, Any]:
    long = part["value"] is not None and prod(part["value"]["shape"]) > SHOWN
    return {**part, "value": None} if long else part


def _rounded(part: Any) -> Any:
    """Return plain data with as many digits as a box has room for."""
    if type(part) is float:
        return float(f"{part:.5g}")
    if isinstance(part, list):
        return [_rounded(one) for one in part]
    if isinstance(part, dict):
        return {name: _rounded(one) for name, one in part.items()}
    return part


def _places(calls: Iterable[Mapping[str, Any]]) -> Iterable[tuple[Any, Any]]:
    for call in calls:
        yield call["call"]["file"], call["call"]["line"]
        for part in (*call["graph"]["nodes"], *call["leaves"]):
            yield part.get("file"), part.get("line")


def sources(places: Iterable[tuple[Any, Any]]) -> list[dict[str, Any]]:
    """Return the lines of the programs that places are in, as far as they are around these, in order.

    Each program is ``{"file", "lines": [[number, text]]}``.
    """
    wanted: dict[str, set[int]] = {}
    for file, line in places:
        if file and line:
            wanted.setdefault(file, set()).add(line)
    found = []
    for file, numbers in wanted.items():
        lines = linecache.getlines(file)
        if not lines:
            continue
        near = {n + k for n in numbers for k in range(-AROUND, AROUND + 1)}
        whole = len(lines) <= MOST_LINES
        kept = [
            [number, text.rstrip("\n")] for number, text in enumerate(lines, 1) if whole or number in near
        ]
        found.append({"file": file, "lines": kept[: 2 * MOST_LINES]})
    return found


__all__ = ["content_of", "sources"]
