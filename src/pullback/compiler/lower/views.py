"""Views and copies: an index map, had by running the op's own kernel on strides."""

from collections.abc import Callable
from typing import Any

from ...array.strides import address, without_memory
from ...core.op import Op
from .context import Context
from .handlers import Handler
from .index import Indices, linear, strides_of, traced_back
from .lowered import Lowered

#: Views whose kernel looks at strides that only the array at hand has.
UNTRACED = frozenset({"as_strided", "view_as_real", "view_as_complex", "real", "imag"})

#: Ops that copy parts of their input, whatever else eager does.
SPLITS = frozenset({"unsafe_split", "unsafe_split_with_sizes"})


def viewed(op: Op, x: Lowered, attrs: tuple[object, ...]) -> list[Lowered] | None:
    """Return the op's results as index maps of its input; None when its strides do not tell."""
    if op.base in UNTRACED or 0 in x.shape:
        return None
    base = without_memory(x.shape)
    origin = address(base)
    result = op.kernel(base, *attrs)
    parts = result if isinstance(result, (tuple, list)) else (result,)
    return [by_strides(x, part.shape, part.strides, address(part) - origin) for part in parts]


def by_strides(x: Lowered, shape: tuple[int, ...], strides: tuple[int, ...], offset: int = 0) -> Lowered:
    """Return the elements of a value by strides from an offset on."""
    place = traced_back(x.shape, shape, strides, offset)

    def body(ops: Handler, indices: Indices) -> Any:
        if x.buffer is not None:
            return ops.load(x.buffer, linear(indices, strides, offset))
        return x.at(ops, place(indices))

    return Lowered(shape, x.dtype, body, cost=x.cost)


def copied(x: Lowered, shape: tuple[int, ...]) -> Lowered:
    """Give a value another shape of as many elements."""
    return x if shape == x.shape else by_strides(x, shape, strides_of(shape))


def flipped(context: Context, x: Lowered, dims: tuple[int, ...]) -> Lowered:
    """Reverse some axes of a value."""

    def turned(at: Indices) -> Indices:
        return tuple(i * -1 + (x.shape[axis] - 1) if axis in dims else i for axis, i in enumerate(at))

    return x.rearranged(x.shape, turned)


def _in_order(context: Context, x: Lowered, *_: Any) -> Lowered:
    return copied(x, context.results[0][0])


#: Ops that give their input's elements in order, whatever else eager does; the first keep its shape.
COPIES = frozenset({"alias_copy", "clone", "contiguous_copy", "copy_of", "lay_out"})
IN_ORDER = COPIES | {"squeezed", "unsafe_view"}
LOWERINGS: dict[str, Callable[..., Lowered]] = {**dict.fromkeys(IN_ORDER, _in_order), "flip": flipped}
