"""Explanations made by hand, as `Explanation.to_dict` gives them, for tests of the page alone."""

from __future__ import annotations

from typing import Any

import numpy as np

Data = dict[str, Any]
UNIT: Data = {"norm": 1.0, "value": None}


def value(array: Any) -> Data:
    array = np.asarray(array, dtype=np.float64)
    return {"shape": list(array.shape), "dtype": "float32", "data": array.tolist()}


def node(number: int, kind: str, name: str, **more: Any) -> Data:
    common = {
        "op": None, "formula": None, "file": "/home/a user/program.py", "line": None, "code": None,
        "variable": None, "module": None, "shape": [], "dtype": "float32", "structure": None,
        "incoming": None, "saved": [], "members": [],
    }  # fmt: skip
    return {"id": number, "kind": kind, "name": name, **common, **more}


def edge(source: int, target: int, covector: Any) -> Data:
    norm = float(np.linalg.norm(np.ravel(covector)))
    shape = list(np.shape(covector))
    return {
        "source": source,
        "target": target,
        "input": 0,
        "shape": shape,
        "norm": norm,
        "value": value(covector),
    }


def linear(
    jacobian: Any, covector: Any, *, before: Any = None, code: str = "y.backward(v)", leaf: str = "x",
    line: str = "y = f(x)",
) -> Data:  # fmt: skip
    """One op with a matrix J, pulled back from y to one leaf."""
    J, v = np.asarray(jacobian, float), np.asarray(covector, float)
    gradient = v @ J
    after = gradient if before is None else gradient + np.asarray(before, float)
    title = f"∂y[i]/∂{leaf}[k]"
    matrix = {"output": 0, "shape": list(J.shape), "title": title, "structure": "dense", "value": value(J),
              "why_absent": None}  # fmt: skip
    place = {"file": "/home/a user/program.py"}
    return {
        "version": 1,
        "call": {"kind": "backward", "line": 4, "code": code, **place},
        "outputs": [{
            "name": "y", "shape": [len(v)], "dtype": "float32", "value": value(np.zeros(len(v))), "node": 0,
            "covector": {"name": "v", "value": value(v), "default": False, "broadcast_from": None,
                         "norm": float(np.linalg.norm(v))},
        }],
        "leaves": [{
            "name": leaf, "shape": [J.shape[1]], "dtype": "float32", "value": value(np.ones(J.shape[1])),
            "line": 1, "node": 1, "before": None if before is None else value(before),
            "gradient": value(gradient), "after": value(after), "jacobian": matrix, "jacobians": [matrix],
            "contributions": None,
            "check": {"method": "central differences in float64", "largest_error": 1e-9, "agrees": True},
            **place,
        }],
        "graph": {
            "nodes": [
                node(0, "output", "FBackward0", line=3, code=line, variable="y", formula="g @ J",
                     shape=[len(v)], structure="dense", incoming={"norm": 1.0, "value": value(v)},
                     saved=[{"name": "x", "shape": [J.shape[1]], "norm": 1.5, "value": None}]),
                node(1, "leaf", "AccumulateGrad", line=1, variable=leaf, shape=[J.shape[1]],
                     incoming={"norm": 1.0, "value": value(gradient)}),
            ],
            "edges": [edge(0, 1, gradient)],
        },
        "notes": [],
    }  # fmt: skip


def chain(length: int, *, period: int = 0, module: Any = None) -> Data:
    """A program of many steps, one after the other; `period` lines in a loop, or a module for each step."""
    explanation = linear([[1.0]], [1.0])
    nodes = [node(0, "output", "SumBackward0", line=90, code="y = x.sum()", variable="y")]
    for k in range(1, length - 1):
        line = 10 + k % period if period else 10 + k
        name = f"{('Mul', 'Add', 'Sin', 'Exp')[line % 4]}Backward0"
        inside = module(k) if module else None
        nodes.append(node(k, "op", name, line=line, code=f"x = f{line}(x)", module=inside, incoming=UNIT))
    nodes.append(node(length - 1, "leaf", "AccumulateGrad", variable="x", incoming=UNIT))
    explanation["graph"] = {"nodes": nodes, "edges": [edge(k, k + 1, 1.0) for k in range(length - 1)]}
    explanation["leaves"][0]["node"] = length - 1
    return explanation
