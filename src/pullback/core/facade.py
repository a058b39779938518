"""Hold what the layers above provide for the mechanism: their classes, and ops that the core itself needs.

The core names no op and no class of users'. The engine brings covectors to their edges, in-place updates
write through views, forward mode conjugates, and batching moves axes about, each by an op of the table, so
that all of it is differentiable and traceable.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .node import Node
    from .terms import Call, Term
    from .value import TensorBase, Value

#: The class of every tensor that ops return, and that of parameters, which calls take as they take it.
Tensor: type[TensorBase]
Parameter: type[TensorBase] | None = None
#: Treat what is not the common case of a public call: ``public_call(op, inputs, named, method)`` checks the
#: user's arguments, serves ``__torch_function__`` and ``out=``, then runs the op.
public_call: Callable[..., Any]
#: Load what gives ops under torch's names: a module with ``aten``, ``overload(name)``, ``variant(name, args,
#: kwargs)``, and ``translate(op, inputs, attrs, ask)``, which calls ``ask(overload, args, kwargs)`` once or
#: more and returns the result.
torch_names: Callable[[], Any]


def meaning(error: BaseException, node: Node | None) -> str | None:
    """Return what a node's error means in the program around it; None where nothing explains it."""
    return None


def repeated(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function of arguments by place that does what another one does, at once where its like came
    often before; that one itself where nothing that remembers is provided.
    """
    return function


#: Add two values.
add: Call
#: Sum a value to a shape.
sum_to: Call
#: Cast a covector to the dtype of an edge.
convert: Call
#: Copy a covector for the leaf that keeps it.
copy_of: Call
#: ``put(base, source, steps, strides)``: the base with what the view steps select replaced by the source.
put: Call
clone: Call
#: Give a value the layout of strides.
lay_out: Call
cast: Call
conj: Call
#: Move a batch axis to the front: ``front(value, axis)``.
front: Call
#: Repeat a value along a new first axis: ``expand(value, (size, *shape))``.
expand: Callable[[Term | Value, tuple[int, ...]], Term]
reshape: Call
#: Take an element along the first axis.
select: Callable[[Term, int], Term]
#: Stack values along a new first axis.
stack: Callable[[Sequence[Term]], Term]


#: All of these, and what else calls of ops name, as built-in names of functions whose globals are an op's.
shared: dict[str, Any] = {**vars(builtins), "Tensor": None, "Parameter": None}


def provide(**names: object) -> None:
    """Take some of them, as each is defined."""
    globals().update(names)
    shared.update(names)
