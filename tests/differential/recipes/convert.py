"""Changes of dtype, and ways out to Python."""

from __future__ import annotations

from typing import Any

from ..builder import ALL, FLOATS, INTS, Builder, DType, call, magnitude
from . import Drawn, recipe

METHODS = ("float", "double", "half", "bfloat16", "int", "long", "bool")


def converts(tensor: Any) -> bool:
    """Whether the values fit every signed integer dtype; beyond that the result is the machine's business."""
    return not tensor.is_complex() and magnitude(tensor) < 2**31


def non_negative(tensor: Any) -> bool:
    return converts(tensor) and magnitude(tensor) < 256 and (tensor >= 0).all().item()


@recipe(5)
def to(b: Builder) -> Drawn:
    dtype = b.dtype()
    if dtype == "uint8":
        x = b.pick((*FLOATS, *INTS), where=non_negative)
        if not non_negative(b.value(x)):
            return None
    elif dtype in INTS:
        x = b.pick((*FLOATS, *INTS), where=converts)
    else:
        x = b.pick((*FLOATS, *INTS, "bool") if dtype not in ("complex64", "complex128") else ALL)
    kwargs = {"copy": True} if b.chance(0.15) else {}
    return call(".to", x, DType(dtype), **kwargs) if b.chance(0.8) else call(".type", x, DType(dtype))


@recipe(3)
def by_method(b: Builder) -> Drawn:
    return call(f".{b.one(METHODS)}", b.pick((*FLOATS, *INTS, "bool"), where=converts))


@recipe(1)
def to_like(b: Builder) -> Drawn:
    x = b.pick((*FLOATS, "bool", "int64"))
    return call(b.one((".to", ".type_as")), x, b.pick(FLOATS))


@recipe(1.5)
def to_python(b: Builder) -> Drawn:
    one = lambda t: t.numel() == 1
    match b.one(("item", "tolist", "float", "bool", "len")):
        case "item":
            return call(".item", b.pick(where=one, shape=lambda: ()))
        case "tolist":
            return call(".tolist", b.pick())
        case "len":
            return call("len", b.pick(min_ndim=1))
        case name:
            return call(name, b.pick((*FLOATS, "int64"), where=one, shape=lambda: ()))


@recipe(2)
def metadata(b: Builder) -> Drawn:
    x = b.pick()
    name = b.one(
        (
            "shape",
            "dtype",
            "is_leaf",
            "requires_grad",
            "ndim",
            "size",
            "numel",
            "stride",
            "is_contiguous",
            "dim",
        )
    )
    if name in ("shape", "dtype", "is_leaf", "requires_grad", "ndim"):
        return call("getattr", x, name)
    return call(f".{name}", x)


@recipe(1)
def promotion(b: Builder) -> Drawn:
    if b.chance(0.5):
        return call("torch.promote_types", DType(b.one(ALL)), DType(b.one(ALL)))
    x = b.pick()
    return call("torch.result_type", x, b.pick() if b.chance(0.6) else b.scalar())


@recipe(1)
def as_tensor(b: Builder) -> Drawn:
    values = [b.one((b.real(), b.rng.randint(-3, 3), True)) for _ in range(b.rng.randint(0, 3))]
    return call(b.one(("torch.tensor", "torch.as_tensor")), values)


@recipe(1)
def through_numpy(b: Builder) -> Drawn:
    x = b.pick(("float32", "float64", "int64", "bool", "complex64"))
    array = b.next(1 if b.value(x).requires_grad else 0)
    steps = [call(".detach", x)] if b.value(x).requires_grad else []
    source = b.next() if steps else x
    return [*steps, call(".numpy", source), call("torch.from_numpy", array)]
