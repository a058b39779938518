"""Build torch's errors for saved values: written to since, freed, or without the history that they had.

Loaded with the first such error.
"""

from typing import Any

import numpy as np

from . import graph_errors as errors
from .blame import changes, freed_at, last_write, place_of
from .holders import base_of, holder_of
from .node import LEAF, AccumulateGrad, Node, Nowhere, Output, edge_target, short_name
from .saved import DETACHED, FROZEN, was_detached
from .value import dtype_of, shape_of
from .versions import Joined, VersionOfView
from .views import (
    INFERENCE_VIEW,
    MULTI_VIEW,
    NO_GRAD_VIEW,
    OF_INFERENCE_VIEW,
    OF_NO_GRAD_VIEW,
    bring_up_to_date,
)

#: How messages call a view whose base or other views were written to.
STALE_VIEW = ", which is output 0 of AsStrided,"

#: The input of ops that is an index tensor behind a first axis of its own.
PLACES = "where"


def modified(node: Node, index: int) -> RuntimeError:
    """Build torch's error for a saved value that was modified in place."""
    saved = node._saved
    value, counter, number = saved[3 * index : 3 * index + 3]
    layout = node._op.layout
    i, o = layout.input_index[index], layout.output_index[index]
    if type(counter) is Joined:
        value, counter, number = counter.stale()
    elif i >= 0 and node._op.inputs[i] == PLACES and type(value) is np.ndarray:
        value = value[0]
    if i >= 0:
        edge = node._edges[i]
    else:
        edge = Output(node, o) if o in node._op.differentiable_outputs else None
    error = blamed(damaged(node, value, counter, number, edge, i >= 0), node, counter, number, edge)
    if (recorder := getattr(value, "recorder", None)) is not None:
        # Versions in a trace are not those of the tensors: eager will say which.
        recorder.refuse(error)
    return error


def damaged(
    node: Node, value: object, counter: list[Any], number: int, edge: object, is_input: bool = True
) -> RuntimeError:
    """Build torch's error for a value that `node` saved at version `number`, with the history `edge`."""
    if is_input and was_detached(value, counter, edge):
        return errors.detached_in_place()
    if isinstance(number, VersionOfView) and (history := number.history()) is not None:
        return errors.modified_in_place(
            dtype_of(value), shape_of(value), described(history, 0), counter[0], number
        )
    if (is_input or edge is None) and (holder := holder_of(value, node, edge)) is not None:
        index = edge_target(edge)[1]
        description = described(present_node(holder), index)
        return errors.modified_in_place(
            dtype_of(value), shape_of(holder._value), description, counter[0], number
        )
    if is_input and edge is not None:
        maker, _ = edge_target(edge)
        own = len(counter) > 2 and id(value) in counter[3]  # not a view, but rearranged in place
        if not own and (error := _lost_view(edge)) is not None:
            return error
        if maker._op is not None and maker._op.kind == "view" and not own:
            return errors.modified_in_place(dtype_of(value), shape_of(value), STALE_VIEW, counter[0], number)
    if edge is None and is_input:
        base = base_of(value, node)
        if base is not None and base._node is not None:
            return errors.modified_in_place(dtype_of(value), shape_of(value), STALE_VIEW, counter[0], number)
    description = edge_description(edge, counter if is_input else FROZEN, value)
    dtype = dtype_of(value)
    if not is_input and dtype.kind in "iu":
        dtype = np.dtype(np.int64)  # torch's places are of this dtype, whatever is kept here
    return errors.modified_in_place(dtype, shape_of(value), description, counter[0], number)


def _lost_view(edge: object) -> RuntimeError | None:
    """Build torch's error for a saved view that cannot have the history of what was written to it: one that
    was made where nothing is recorded or by an op with several outputs, or a view of such a view.
    """
    maker, index = edge_target(edge)
    several = False
    while not isinstance(end := edge_target(edge)[0], Nowhere):
        if end._op is None or end._op.kind != "view" or end._edges[0] is None:
            return errors.view_update(MULTI_VIEW, short_name(type(maker)), index, True) if several else None
        several = several or type(edge) is Output
        edge = end._edges[0]
    if end is maker:
        return errors.view_update(INFERENCE_VIEW if end.inference else NO_GRAD_VIEW, None, 0, True)
    creation = OF_INFERENCE_VIEW if end.inference else OF_NO_GRAD_VIEW
    return errors.view_update(creation, short_name(type(maker)), index, True)


def blamed(
    error: RuntimeError, node: Node, counter: list[Any], number: int, edge: object = None
) -> RuntimeError:
    """Add to torch's error the line that saved the value and those that wrote to it afterwards."""
    saved, later = place_of(node), tuple(changes(counter, number))
    error.blame = (saved, later, last_write(counter), edge)  # type: ignore[attr-defined]  # for `explain`
    try:
        return errors.interpreted(error, errors.inplace_note(saved, later), node)
    finally:
        error.blame = (saved, later)  # type: ignore[attr-defined]  # an error keeps no graph alive


def freed(node: Node) -> RuntimeError:
    """Build torch's error for saved values that a backward freed, and say where that was."""
    made, first = place_of(node), freed_at(node._saved)
    error: Any = errors.freed_graph()
    error.blame = (made, first)  # for `explain.why_error`
    return errors.interpreted(error, errors.freed_note(first), node)


def edge_description(edge: object, counter: list[Any], value: object) -> str:
    """Return ', which is output 0 of Tanh,' for messages; empty for a leaf or constant.

    A recorded write leaves the class of the node that it put behind the tensor in the version counter, behind
    the places of writes, and which arrays the tensor has had: of what shares the counter, others are views of
    it.
    """
    if isinstance(edge, (AccumulateGrad, Nowhere)):
        return ""  # a leaf has no history, whatever wrote to its storage through another tensor
    if len(counter) > 2:
        own = id(value) in counter[3]
        if own and edge is not None and edge_target(edge)[0]._seq < counter[4]:
            return described(*edge_target(edge))  # a tensor that was detached from this has the history
        if own and edge is None and not counter[4]:
            return ""  # a tensor that was detached from the one that has the history
        maker = counter[2] if counter[2] == DETACHED else short_name(counter[2])
        return f", which is output 0 of {maker}," if own else STALE_VIEW
    return described(*edge_target(edge))


def present_node(tensor: Any) -> Any:
    """Return the node that is behind a tensor now."""
    if tensor._view is not None:
        bring_up_to_date(tensor)
    node = tensor._node
    return node if node is None or node is LEAF else edge_target(node)[0]


def described(node: Any, index: int) -> str:
    """Return what a message says of the history of a tensor that is output `index` of a node."""
    if node is None or node is LEAF or isinstance(node, (AccumulateGrad, Nowhere)):
        return ""
    return f", which is output {index} of {short_name(type(node))},"
