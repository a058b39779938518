"""Views, and rearrangements that copy."""

from __future__ import annotations

from typing import Any

from ..builder import COMPLEX, Builder, DType, call
from . import Drawn, recipe
from .elementwise import spelled


def basic_index(b: Builder, tensor: Any) -> Any:
    """Integers, slices, None and Ellipsis that fit a tensor."""
    items: list[Any] = []
    for size in tensor.shape:
        if b.chance(0.15):
            items.append(None)
        if b.chance(0.15) and Ellipsis not in items:
            items.append(Ellipsis)
            break
        if b.chance(0.35) and size:
            items.append(b.rng.randint(-size, size - 1))
        else:
            start = b.one((None, 0, 1, -1, -2))
            stop = b.one((None, None, size, -1, 2, 9))
            items.append(slice(start, stop, b.one((None, None, None, 1, 2))))
        if b.chance(0.2):
            break
    if Ellipsis not in items and b.chance(0.15):
        items.append(Ellipsis)
    if len(items) == 1 and b.chance(0.8):
        return items[0]
    return tuple(items) if items else b.one((Ellipsis, None, ()))


def factored(b: Builder, count: int) -> tuple[int, ...]:
    """A shape of `count` elements."""
    if count == 0:
        return b.one(((0,), (0, 2), (3, 0), (1, 0, 2)))
    shape: list[int] = []
    for _ in range(b.rng.randint(0, 3)):
        divisors = [d for d in range(1, count + 1) if count % d == 0]
        shape.append(b.one(divisors))
        count //= shape[-1]
    if count > 1 or (not shape and b.chance(0.5)):
        shape.insert(b.rng.randint(0, len(shape)), count)
    return tuple(shape)


def new_shape(b: Builder, tensor: Any) -> tuple[int, ...]:
    shape = list(factored(b, tensor.numel()))
    if shape and b.chance(0.3) and 0 not in shape:
        shape[b.rng.randrange(len(shape))] = -1
    return tuple(shape)


@recipe(8)
def indexed(b: Builder) -> Drawn:
    x = b.pick(min_ndim=1)
    return call("getitem", x, basic_index(b, b.value(x)))


@recipe(3)
def transpose(b: Builder) -> Drawn:
    x = b.pick()
    tensor = b.value(x)
    return call(spelled(b, b.one(("transpose", "swapaxes", "swapdims"))), x, b.dim(tensor), b.dim(tensor))


@recipe(1.5)
def permute(b: Builder) -> Drawn:
    x = b.pick()
    ndim = b.value(x).dim()
    order = tuple(d - ndim if b.chance(0.2) else d for d in b.rng.sample(range(ndim), ndim))
    return call(".permute", x, *order) if order and b.chance(0.5) else call("torch.permute", x, order)


@recipe(1)
def transposed_property(b: Builder) -> Drawn:
    name = b.one(("T", "mT", "H", "mH"))
    return call("getattr", b.pick(ndim=2), name)


@recipe(0.7)
def t(b: Builder) -> Drawn:
    return call(spelled(b, "t"), b.pick(ndim=(0, 1, 2)))


@recipe(3)
def view(b: Builder) -> Drawn:
    x = b.pick(where=lambda t: t.is_contiguous() or b.chance(0.2))
    shape = new_shape(b, b.value(x))
    return call(".view", x, *shape) if shape and b.chance(0.6) else call(".view", x, shape)


@recipe(3)
def reshape(b: Builder) -> Drawn:
    x = b.pick()
    return call(spelled(b, "reshape"), x, new_shape(b, b.value(x)))


@recipe(1.5)
def flatten(b: Builder) -> Drawn:
    x = b.pick()
    name = b.one(("flatten", "flatten", "ravel"))
    if name == "ravel" or b.chance(0.5):
        return call(spelled(b, name), x)
    first, last = sorted(b.rng.randrange(max(b.value(x).dim(), 1)) for _ in range(2))
    return call(spelled(b, name), x, first, last)


@recipe(0.8)
def unflatten(b: Builder) -> Drawn:
    x = b.pick(min_ndim=1)
    tensor = b.value(x)
    dim = b.dim(tensor)
    size = tensor.shape[dim]
    shape = b.one(((1, size), (size, 1), (-1, 1), (1, -1)))
    return call(spelled(b, "unflatten"), x, dim, shape)


@recipe(3)
def unbind(b: Builder) -> Drawn:
    x = b.pick(min_ndim=1)
    return call(spelled(b, "unbind"), x, b.dim(b.value(x)))


@recipe(3)
def split(b: Builder) -> Drawn:
    x = b.pick(min_ndim=1)
    tensor = b.value(x)
    dim = b.dim(tensor)
    size = tensor.shape[dim]
    match b.one(("split", "sections", "chunk", "tensor_split", "places")):
        case "split":
            return call(spelled(b, "split"), x, b.rng.randint(1, 3), dim)
        case "sections":
            first = b.rng.randint(0, size)
            return call(spelled(b, "split"), x, [first, size - first], dim)
        case "chunk":
            return call(spelled(b, "chunk"), x, b.rng.randint(1, 3), dim)
        case "places":
            return call(spelled(b, "tensor_split"), x, (1, 2), dim)
    return call(spelled(b, "tensor_split"), x, b.rng.randint(1, 3), dim)


@recipe(3)
def select(b: Builder) -> Drawn:
    x = b.pick(min_ndim=1, where=lambda t: t.numel() > 0)
    tensor = b.value(x)
    dim = b.dim(tensor)
    size = tensor.shape[dim]
    return call(spelled(b, "select"), x, dim, b.rng.randint(-size, size - 1))


@recipe(3)
def narrow(b: Builder) -> Drawn:
    x = b.pick(min_ndim=1)
    tensor = b.value(x)
    dim = b.dim(tensor)
    start = b.rng.randint(0, tensor.shape[dim])
    return call(spelled(b, "narrow"), x, dim, start, b.rng.randint(0, tensor.shape[dim] - start))


@recipe(2)
def diagonal(b: Builder) -> Drawn:
    x = b.pick(min_ndim=2)
    ndim = b.value(x).dim()
    dim1, dim2 = b.rng.sample(range(ndim), 2)
    if b.chance(0.4):
        return call(spelled(b, "diagonal"), x)
    return call(spelled(b, "diagonal"), x, offset=b.rng.randint(-1, 1), dim1=dim1, dim2=dim2)


@recipe(2)
def as_strided(b: Builder) -> Drawn:
    x = b.pick(where=lambda t: t.numel() > 0 and t.storage_offset() == 0 and t.is_contiguous())
    count = b.value(x).numel()
    size = b.shape(b.one((0, 1, 2)))
    stride = tuple(b.one((0, 1, 1, 2, 3)) for _ in size)
    reach = sum((n - 1) * s for n, s in zip(size, stride)) if 0 not in size else 0
    if reach >= count and b.chance(0.95):
        return None
    offset = b.rng.randint(0, max(count - 1 - reach, 0))
    return call(spelled(b, "as_strided"), x, size, stride, *((offset,) if b.chance(0.5) or offset else ()))


@recipe(2)
def squeeze(b: Builder) -> Drawn:
    x = b.pick(where=lambda t: 1 in t.shape, shape=lambda: (*b.shape(), 1))
    return call(spelled(b, "squeeze"), x, *((b.dim(b.value(x)),) if b.chance(0.5) else ()))


@recipe(2)
def unsqueeze(b: Builder) -> Drawn:
    x = b.pick()
    ndim = b.value(x).dim()
    return call(spelled(b, "unsqueeze"), x, b.rng.randint(-ndim - 1, ndim))


@recipe(3)
def expand(b: Builder) -> Drawn:
    x = b.pick(where=lambda t: t.dim() < 4 and (1 in t.shape or t.dim() < 3), shape=lambda: (1, *b.shape(1)))
    shape = tuple(b.size() if n == 1 else b.one((n, -1)) for n in b.value(x).shape)
    if b.chance(0.4):
        shape = (b.size(), *shape)
    if b.chance(0.7):
        return call(".expand", x, *shape) if shape and b.chance(0.6) else call(".expand", x, shape)
    return call(spelled(b, "broadcast_to"), x, shape)


@recipe(0.7)
def expand_as(b: Builder) -> Drawn:
    x = b.pick()
    like = b.partner(x)
    return call(b.one((".expand_as", ".view_as", ".reshape_as")), x, like)


@recipe(3)
def detach(b: Builder) -> Drawn:
    x = b.pick(where=lambda t: t.requires_grad)
    return call("getattr", x, "data") if b.chance(0.25) else call(spelled(b, "detach"), x)


@recipe(0.8)
def parts_of_complex(b: Builder) -> Drawn:
    x = b.pick(COMPLEX)
    match b.one(("real", "imag", "view_as_real")):
        case "view_as_real":
            return call("torch.view_as_real", x)
        case name:
            return call("getattr", x, name) if b.chance(0.5) else call(f"torch.{name}", x)


@recipe(0.4)
def view_as_complex(b: Builder) -> Drawn:
    x = b.pick(
        ("float32", "float64"),
        where=lambda t: t.dim() and t.shape[-1] == 2 and t.is_contiguous(),
        shape=lambda: (*b.shape(), 2),
    )
    return call("torch.view_as_complex", x)


@recipe(0.6)
def move(b: Builder) -> Drawn:
    x = b.pick()
    return call(spelled(b, b.one(("movedim", "moveaxis"))), x, b.dim(b.value(x)), b.dim(b.value(x)))


@recipe(0.8)
def unfold(b: Builder) -> Drawn:
    x = b.pick(min_ndim=1)
    tensor = b.value(x)
    dim = b.dim(tensor)
    return call(".unfold", x, dim, b.rng.randint(1, max(tensor.shape[dim], 1)), b.rng.randint(1, 2))


@recipe(0.6)
def at_least(b: Builder) -> Drawn:
    return call(f"torch.atleast_{b.one((1, 2, 3))}d", b.pick(ndim=(0, 1, 2)))


@recipe(2)
def copied(b: Builder) -> Drawn:
    return call(b.one((".clone", ".contiguous", "torch.clone")), b.pick())


@recipe(1.5)
def flip_or_roll(b: Builder) -> Drawn:
    x = b.pick(min_ndim=1)
    dim = b.dim(b.value(x))
    if b.chance(0.5):
        return call(spelled(b, "flip"), x, (dim,))
    return call(spelled(b, "roll"), x, b.rng.randint(-2, 3), *((dim,) if b.chance(0.7) else ()))


@recipe(1.5)
def repeated(b: Builder) -> Drawn:
    x = b.pick(ndim=(0, 1, 2, 3))
    tensor = b.value(x)
    match b.one(("repeat", "tile", "repeat_interleave")):
        case "repeat":
            return call(
                ".repeat", x, *(b.one((1, 2, 1, 3)) for _ in range(max(tensor.dim() + b.chance(0.2), 1)))
            )
        case "tile":
            return call(spelled(b, "tile"), x, (2,))
    return call(spelled(b, "repeat_interleave"), x, 2, dim=b.dim(tensor))


@recipe(1.5)
def triangle(b: Builder) -> Drawn:
    x = b.pick(min_ndim=2)
    return call(spelled(b, b.one(("tril", "triu"))), x, *((b.rng.randint(-1, 1),) if b.chance(0.5) else ()))


@recipe(0.8)
def diag(b: Builder) -> Drawn:
    if b.chance(0.5):
        return call(spelled(b, "diag_embed"), b.pick(ndim=(1, 2)))
    return call(spelled(b, "diag"), b.pick(ndim=(1, 2)))


@recipe(0.4)
def rot90(b: Builder) -> Drawn:
    return call(spelled(b, "rot90"), b.pick(min_ndim=2), b.rng.randint(-1, 2))


@recipe(0.5)
def reinterpreted(b: Builder) -> Drawn:
    x = b.pick(("float32", "int32"), where=lambda t: t.is_contiguous())
    return call(".view", x, DType(b.one(("int32", "float32"))))
