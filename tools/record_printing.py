"""Record what torch prints into tests/tensor/data/printing.json: ``python tools/record_printing.py``.

Needs torch 2.13. A case is a dict that JSON can hold: it names a dtype, a shape, a few values that are
repeated to fill the shape, the print options, the default dtype and what is to be printed around the
elements. ``draw`` makes random cases and ``torch_text`` says what torch prints for a case; the test that
compares live uses both.
"""

from __future__ import annotations

import json
import math
import random
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import torch
from torch._tensor_str import get_printoptions, printoptions
from torch.autograd import forward_ad

DATA = Path(__file__).parent.parent / "tests" / "tensor" / "data" / "printing.json"
RANDOM_CASES = 160
LONGEST_TEXT = 1200

Case = dict[str, Any]

INTEGERS = ("uint8", "int8", "int16", "int32", "int64", "uint16", "uint32", "uint64")
FLOATS = ("float16", "bfloat16", "float32", "float64")
FLOAT8 = ("float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2", "float8_e5m2fnuz", "float8_e8m0fnu")
COMPLEX = ("complex32", "complex64", "complex128")
DIFFERENTIABLE = FLOATS + COMPLEX


class Subclass(torch.Tensor):
    """Prints under its own name."""


class ParameterSubclass(torch.nn.Parameter):
    """Prints in a Parameter of its own."""


# ----------------------------------------------------------------------------------------------------
# What torch prints
# ----------------------------------------------------------------------------------------------------


def case(dtype: str, shape: tuple[int, ...], values: list[Any], kind: str = "tensor", **more: Any) -> Case:
    """Return a case: ``kind`` as in ``torch_tensor``, and perhaps ``options`` and a ``default`` dtype."""
    return {"dtype": dtype, "shape": list(shape), "values": values, "kind": kind, **more}


def elements(case: Case) -> np.ndarray[Any, Any]:
    """Return the array of a case; complex values are pairs."""
    dtype = np.dtype(getattr(ml_dtypes, case["dtype"], case["dtype"]))
    values = case["values"]
    if dtype.kind in "cW":
        values = np.array(values, np.float64).reshape(-1, 2).view(np.complex128).ravel()
    with np.errstate(over="ignore"):
        return np.resize(np.array(values).astype(dtype), case["shape"])


def torch_tensor(case: Case) -> torch.Tensor:
    array, dtype = elements(case), getattr(torch, case["dtype"])
    if case["dtype"] in ("bfloat16", "complex32", *FLOAT8):
        wide = np.complex64 if dtype.is_complex else np.float32
        tensor = torch.from_numpy(array.astype(wide)).to(dtype)
    else:
        tensor = torch.from_numpy(array)
    match case["kind"]:
        case "tensor":
            return tensor
        case "leaf":
            return tensor.requires_grad_()
        case "node":
            return tensor.requires_grad_().clone()
        case "parameter":
            return torch.nn.Parameter(tensor)
        case "parameter subclass":
            return ParameterSubclass(tensor)
        case "subclass":
            return tensor.as_subclass(Subclass)
        case "meta":
            return tensor.to("meta")
        case "dual":
            return forward_ad.make_dual(tensor, tensor.clone())
    raise ValueError(case["kind"])


def torch_text(case: Case) -> str:
    saved = torch.get_default_dtype()
    torch.set_default_dtype(getattr(torch, case.get("default", "float32")))
    try:
        # Not for all kinds: inside a dual level torch prints subclasses of Parameter in another way.
        level = forward_ad.dual_level() if case["kind"] == "dual" else nullcontext()
        with printoptions(**case.get("options", {})), level:
            return repr(torch_tensor(case))
    finally:
        torch.set_default_dtype(saved)


# ----------------------------------------------------------------------------------------------------
# Random cases
# ----------------------------------------------------------------------------------------------------


def draw(rng: random.Random) -> Case:
    """Return a random case: any dtype, many dimensions, values where the format changes."""
    dtype = rng.choice(("bool", *INTEGERS, *(DIFFERENTIABLE * 3)))
    count = rng.choice((1, 1, 2, 3, 5, 12, 30))
    if dtype == "bool":
        values: list[Any] = [rng.random() < 0.5 for _ in range(count)]
    elif dtype in INTEGERS:
        values = draw_integers(rng, dtype, count)
    elif dtype in COMPLEX:
        values = [list(pair) for pair in zip(draw_reals(rng, count), draw_reals(rng, count), strict=True)]
    else:
        values = draw_reals(rng, count)
    kinds = ["tensor"] * 4 + ["subclass", "meta"]
    if dtype in DIFFERENTIABLE:
        kinds += ["leaf", "node", "parameter", "parameter subclass", "dual"]
    drawn = case(dtype, draw_shape(rng), values, rng.choice(kinds))
    if rng.random() < 0.7:
        drawn["options"] = draw_options(rng)
    if rng.random() < 0.2:
        drawn["default"] = rng.choice(FLOATS)
    return drawn


def draw_shape(rng: random.Random) -> tuple[int, ...]:
    match rng.randrange(10):
        case 0:
            return ()
        case 1 | 2 | 3:
            return (rng.choice((0, 1, 2, 3, 6, 7, 8, 13, 24, 25, 60, 1000, 1001)),)
        case 4 | 5:
            return (rng.choice((0, 1, 3, 6, 7, 40)), rng.choice((1, 2, 7, 12, 31)))
        case 6 | 7:
            return tuple(rng.choice((1, 2, 3, 4, 7, 9)) for _ in range(rng.choice((3, 4))))
        case 8:
            return tuple(rng.choice((0, 1, 1, 1, 2, 2, 3)) for _ in range(rng.randint(3, 8)))
    return (1,) * rng.randint(5, 30) + (rng.choice((1, 2, 8)),) * rng.choice((1, 2))


def draw_integers(rng: random.Random, dtype: str, count: int) -> list[int]:
    limits = np.iinfo(dtype)
    if rng.random() < 0.3:
        return [rng.randint(int(limits.min), int(limits.max)) for _ in range(count)]
    low = max(int(limits.min), -rng.choice((0, 1, 5, 100)))
    return [rng.randint(low, rng.choice((1, 9, 99, 120))) for _ in range(count)]


def draw_reals(rng: random.Random, count: int) -> list[float]:
    scale = 10.0 ** rng.choice((0, 0, 0, 0, 1, 2, 3, 4, 5, 8, 9, -1, -2, -3, -4, -5, -20, 30, -40, 200, -310))
    base = rng.choice((rng.randint(1, 2000) * 10.0 ** rng.randint(-7, 5), rng.uniform(1e-4, 3)))
    ratio, large, small = base * 1000, 1e8, 1e-4
    critical = [base, float(np.float32(base)), ratio, large, small, 1.0, 1000.0]
    critical += [math.nextafter(ratio, 0), math.nextafter(ratio, math.inf)]
    critical += [math.nextafter(large, math.inf), math.nextafter(small, 0)]
    rounding = (0.99999, 9.99995, 99999999.0, 0.00009999, 1000.5, 999.9999, 0.5, 2.5)
    few = rng.sample(critical, rng.randint(1, 3))
    numbers = {
        "normal": lambda: rng.gauss(0, 1) * scale,
        "whole": lambda: float(round(rng.gauss(0, 1) * scale)),
        "quarters": lambda: rng.randint(-10, 40) / 4,
        "decades": lambda: rng.choice((-1, 1)) * 10 ** rng.uniform(-5, 5),
        "span": lambda: rng.uniform(1, 1001) * scale,
        "critical": lambda: rng.choice(few),
        "rounding": lambda: rng.choice(rounding),
        "zero": lambda: rng.choice((0.0, -0.0, 0.0, 1.0)),
    }
    number = numbers[rng.choice(list(numbers))]
    odd = rng.choice((0, 0, 0, 0.1, 0.5, 1))
    odds = (math.nan, math.inf, -math.inf, 0.0, -0.0, 5e-324, 1e-45, 6e-8)
    return [rng.choice(odds) if rng.random() < odd else number() for _ in range(count)]


def draw_options(rng: random.Random) -> dict[str, Any]:
    choices: dict[str, tuple[Any, ...]] = {
        "precision": (0, 1, 2, 3, 6, 17),
        "threshold": (0, 1, 5, 10, 30, 100, -1),
        "edgeitems": (0, 1, 1, 2, 3, 4, 8),
        "linewidth": (0, 1, 17, 20, 33, 40, 60, 79, 81, 120, 200),
        "sci_mode": (True, False),
        "profile": ("default", "short", "full"),
    }
    return {name: rng.choice(values) for name, values in choices.items() if rng.random() < 0.35}


# ----------------------------------------------------------------------------------------------------
# Chosen cases
# ----------------------------------------------------------------------------------------------------

NAN, INF = math.nan, math.inf

FLOAT_VALUES: tuple[list[float], ...] = (
    [1.0], [-1.0], [0.0, -0.0], [0.1], [1.5, 2.0, -3.25], [NAN], [INF, -INF], [NAN, 1.0], [NAN, 10000.0],
    [INF, 0.5], [0.5, 500.0], [0.5, 500.5], [1.0, 1000.0], [1.0, 1001.0], [1e8], [2e8], [1e-4], [1e-3],
    [9e-5], [1e-9, 5.25], [5e-324, 1.0], [1e-45], [6e-8, 1.0], [1.7e308, 1e-308], [-1e-5, 0.0],
    [123456.789], [16777217.0], [0.99999], [1.0, 2.0, 3.0], [1e10, NAN, 0.0],
)

COMPLEX_VALUES: tuple[list[tuple[float, float]], ...] = (
    [(1, 2)], [(1, -2)], [(-0.0, -0.0)], [(1.5, 2)], [(0.25, -3.5), (-10, 1)], [(NAN, 1), (0, NAN)],
    [(INF, -INF)], [(1e-9, 5), (2, 3)], [(1, 1e9), (2, 1)], [(0, 0)],
)

SMALL: dict[str, list[Any]] = {
    "bool": [True, False], **{dtype: [[1, 0], [0, 1]] for dtype in COMPLEX},
}
LARGE_SHAPES = (
    (1000,), (1001,), (100, 100), (7, 6, 5, 8), (1, 2000), (2000, 1), (3, 400), (*[1] * 62, 40, 40),
)


def chosen() -> Iterator[Case]:
    for values in FLOAT_VALUES:
        yield case("float32", (), values[-1:])
        yield case("float64", (len(values),), values)
    for pairs in COMPLEX_VALUES:
        yield case("complex64", (len(pairs),), [list(pair) for pair in pairs])
    for dtype in ("bool", *INTEGERS, *FLOATS, *COMPLEX):
        values = SMALL.get(dtype, [1, 0])
        for default in FLOATS:
            yield case(dtype, (2,), values, default=default)
            yield case(dtype, (0,), values, default=default)
        yield case(dtype, (), values)
        yield case(dtype, (0, 3), values)
        yield case(dtype, (2, 2), values, "meta")
    for shape in ((), (2,), (0,), (3, 0), (2, 2), (2, 1, 2), (30,)):
        for kind in ("leaf", "node", "parameter", "parameter subclass", "subclass", "meta", "dual"):
            yield case("float64", shape, [1.5, -2.0], kind)
    for shape in LARGE_SHAPES:
        yield case("float32", shape, [0.5, 1.0, 1.5, -2.0, 3.0])
        for dtype in FLOAT8:
            yield case(dtype, shape, [0.5, 1.0, 2.0, 16.0])
        yield case("int64", shape, [7, -100, 3], options={"profile": "short"})
    for edgeitems in (0, 1, -1):
        for shape in ((), (1,), (8,), (0, 2)):
            yield case("int16", shape, [1, 2, 3], options={"edgeitems": edgeitems, "threshold": 4})
            yield case("float32", shape, [1, 2, 3], options={"edgeitems": edgeitems, "threshold": 0})


# ----------------------------------------------------------------------------------------------------
# Wrappers, formats, options
# ----------------------------------------------------------------------------------------------------


def record_wrappers() -> list[dict[str, Any]]:
    """Record the wrappers seen inside transforms, each with the text of the value inside."""
    seen: list[dict[str, Any]] = []

    def look(x: torch.Tensor) -> torch.Tensor:
        functorch, inside, wrapped = torch._C._functorch, x, []
        while functorch.is_functorch_wrapped_tensor(inside):
            wrapped.append(inside)
            inside = functorch.get_unwrapped(inside)
        layers = []
        for wrapper in reversed(wrapped):
            batched = functorch.is_batchedtensor(wrapper)
            layers.append({
                "kind": "BatchedTensor" if batched else "GradTrackingTensor",
                "level": functorch.maybe_get_level(wrapper),
                "bdim": functorch.maybe_get_bdim(wrapper) if batched else None,
            })
        seen.append({"inside": repr(inside), "layers": layers, "text": repr(x)})
        return x.sum()

    grad, vmap = torch.func.grad, torch.func.vmap
    grad(look)(torch.ones(2, 3))
    grad(look)(torch.nn.Parameter(torch.ones(2)))
    grad(grad(look))(torch.tensor(1.0))
    vmap(look)(torch.ones(2, 3, dtype=torch.float64))
    vmap(look, in_dims=-1)(torch.arange(30.0).reshape(2, 3, 5))
    vmap(look)(torch.empty(2, 0))
    vmap(vmap(look, in_dims=1), in_dims=2)(torch.arange(24.0).reshape(2, 3, 4) / 7)
    vmap(grad(look))(torch.ones(2, 3))
    grad(lambda x: vmap(look, in_dims=1)(x).sum())(torch.ones(2, 3))
    return seen


def record_formats() -> list[dict[str, Any]]:
    """Record ``format(tensor, spec)`` of 0-d tensors."""
    samples = (
        [case(dtype, (), [value]) for dtype in FLOATS for value in (0.1, -2.0, NAN, 12345.678)]
        + [case("int64", (), [-3]), case("uint8", (), [200]), case("bool", (), [True])]
        + [case("complex64", (), [[1.0, 2.1]])]
    )
    formats = []
    for sample in samples:
        for spec in ("", ".2f", "10.3e", ">+12", "g", "d", ",", "x"):
            try:
                outcome = {"text": format(torch_tensor(sample), spec)}
            except ValueError as error:
                outcome = {"error": str(error)}
            formats.append({**sample, "spec": spec, **outcome})
    return formats


def record_options() -> list[dict[str, Any]]:
    """Record the options that each call of set_printoptions leaves, one call after the other."""
    calls: list[dict[str, Any]] = [
        {}, {"precision": 2}, {"sci_mode": True}, {"threshold": 5}, {"profile": "short"}, {"linewidth": 100},
        {"profile": "full", "precision": 7}, {"profile": "unknown", "edgeitems": 1}, {"sci_mode": False},
        {"profile": "default"}, {"profile": "Full", "sci_mode": True}, {"edgeitems": 0, "precision": 0},
        {"profile": "default"},
    ]
    records = []
    for call in calls:
        torch.set_printoptions(**call)
        records.append({"call": call, "options": get_printoptions()})
    return records


def main() -> None:
    rng = random.Random(2)
    tensors = [{**one, "text": torch_text(one)} for one in chosen()]
    wanted = len(tensors) + RANDOM_CASES
    while len(tensors) < wanted:
        one = draw(rng)
        text = torch_text(one)
        if len(text) <= LONGEST_TEXT:
            tensors.append({**one, "text": text})
    sections = {
        "tensors": tensors,
        "wrappers": record_wrappers(),
        "formats": record_formats(),
        "options": record_options(),
    }
    lines = []
    for name, records in sections.items():
        rows = ",\n".join(json.dumps(record) for record in records)
        lines.append(f'"{name}": [\n{rows}\n]')
    DATA.parent.mkdir(parents=True, exist_ok=True)
    DATA.write_text("{\n" + ",\n".join(lines) + "\n}\n")
    print({name: len(records) for name, records in sections.items()})


if __name__ == "__main__":
    main()
