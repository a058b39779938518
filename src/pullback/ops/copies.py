"""Copies under the names that torch gives the nodes of its view functions' copying variants, and its unsafe
splits.

A copy follows the view that it is of, so that one rule, the identity, serves all of them.
"""

from typing import Any

from numpy import ndarray

from ..core.op import Call, Op, of, op
from . import join, strided, structure, view


def _copied(x: ndarray, /) -> ndarray:
    return x.copy(order="C")


def _declare(name: str, node_name: str) -> Call:
    return op(
        name, _copied, (lambda g: g,), kind="linear", node_name=node_name, batch=lambda size: (),
        base="alias_copy",
    )  # fmt: skip


_VIEWS: tuple[Any, ...] = (
    view.alias, strided.as_strided, view.diagonal, structure.expand, structure.permute, view.select,
    join.split, join.split_with_sizes, view.squeeze, view.squeeze_dim, view.squeeze_dims, view.t,
    view.transpose, structure.unbind, strided.unfold, view.unsqueeze, view.view_as_real,
    structure.reshape_view,
)  # fmt: skip

#: C-ordered copies, by the name of the view op that they copy.
copies: dict[str, Call] = {
    of(call).name: _declare(f"{of(call).name}_copy", f"{of(call).node_name}_copy") for call in _VIEWS
}
copies["slice"] = _declare("slice_copy", "SliceBackward0_copy")
copies["narrow"] = _declare("narrow_copy", "NarrowCopyBackward0")
copies["detach"] = op(
    "detach_copy", _copied, kind="linear", underivable="detach_copy", batch=lambda size: (), base="alias_copy"
)


def _unsafe(call: Any, node_name: str) -> Call:
    first = of(call)
    return Op(
        f"unsafe_{first.name}", first.kernel, first.rules, kind="linear", inputs=first.inputs,
        attrs=first.attrs, many=True, node_name=node_name, batch=first.batch,
    ).call  # fmt: skip


#: Parts that share the input's storage and yet are no views to autograd.
unsafe_split = _unsafe(join.split, "UnsafeSplitBackward0")
unsafe_split_with_sizes = _unsafe(join.split_with_sizes, "UnsafeSplitWithSizesBackward0")
