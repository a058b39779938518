"""Nodes of the graph that `backward` walks.

A node is made by each differentiable call and holds what its rule needs and nothing else: edges to the nodes
that made the inputs, saved values with the versions they had, the shape and dtype of its output, and a
sequence number. A node is younger than its inputs, so descending sequence numbers are a topological order.
Each op has its own subclass (made at declaration), because `type(y.grad_fn).__name__` is part of torch's
interface.
"""

from __future__ import annotations

import re
import weakref
from collections.abc import Callable, Sequence
from types import CodeType
from typing import TYPE_CHECKING, Any, ClassVar, final

from numpy import ndarray

from ..array import dtypes, locks
from ..array.named_tuples import NamedTuple
from .blame import next_sequence
from .hooks import NodeHooks, RemovableHandle, add_hook, hooks_of
from .modes import modes
from .value import settled

if TYPE_CHECKING:
    from .value import InnerValue, TensorBase

_new = object.__new__

#: Node classes that torch does not generate from its table of derivatives; it says their namespace.
_WRITTEN_IN_CPP = ("CopySlices", "CopyBackwards", "NotImplemented")

#: Dtypes that carry gradients.
DIFFERENTIABLE = frozenset(d.numpy for d in dtypes.BY_NUMPY.values() if d.is_floating_point or d.is_complex)


class Node:
    """Hold what one call left behind for `backward`.

    Attributes
    ----------
    _edges : tuple
        Per input the node that made it, an `Output` of a node with several outputs, or None.
    _saved : tuple
        Values, versions and attributes as the op's layout orders them; once freed, see `blame`.
    _shape, _dtype
        Of the output; for a node with several outputs, tuples of them.
    _seq : int
        Younger nodes have larger numbers.
    _hooks : NodeHooks or None
    _code, _at
        The place in the user's program that made the node (see `blame`); a leaf's end has none.
    """

    __slots__ = ("_at", "_code", "_dtype", "_edges", "_hooks", "_saved", "_seq", "_shape")

    _op: ClassVar[Any] = None
    #: Whether backward frees what the node saved, so that a second one is refused.
    _frees: ClassVar[bool] = False
    #: Whether `backward` takes the covector of a 0-d output as a NumPy scalar, too.
    _takes_scalars: ClassVar[bool] = False
    #: Whether a native loop is asked for its pullback on arrays of moderate size, too.
    is_chained: ClassVar[bool] = False
    #: Whether each output has a node of its own by now, to which the edge of that number leads.
    is_parted: ClassVar[bool] = False
    #: For each input its rule, or None, and what it is given of the saved tuple, where `backward` is no more
    #: than these calls.
    _plain_rules: ClassVar[Sequence[tuple[Callable[..., Any] | None, tuple[int, ...]]]] = ()
    _edges: tuple[Node | Output | None, ...]
    _saved: tuple[Any, ...]
    _shape: Any
    _dtype: Any
    _seq: int
    _hooks: NodeHooks | None
    _code: CodeType
    _at: int

    def backward(self, g: Any) -> tuple[Any, ...]:
        """Pull the covector `g` back to the inputs: a covector or None per edge; values stay unwrapped."""
        raise NotImplementedError

    def backward_graph(self, g: Any) -> tuple[Any, ...]:
        """Pull back as `backward` does, on tensors, so that the pullback is itself recorded."""
        raise NotImplementedError

    def backward_bulk(self, g: Any) -> tuple[Any, ...]:
        """Pull back on `Bulk` values; a node that has no rules takes the array."""
        return self.backward(g.value)

    def apart(self, edge: Output) -> Output:
        """Return where to look at what arrives at an output: there, unless eager has a node for each."""
        return edge

    # --- what users see of a node ---------------------------------------------------------------------------

    def __repr__(self) -> str:
        kind = type(self)
        prefix = "" if kind.__module__ == "torch.autograd.graph" else f"{kind.__module__}."
        return f"<{prefix}{kind.__name__} object at {id(self):#x}>"

    def name(self) -> str:
        """Return the name of the node."""
        name = type(self).__name__
        return f"torch::autograd::{name}" if name in _WRITTEN_IN_CPP else name

    @property
    def next_functions(self) -> tuple[tuple[Node | None, int], ...]:
        """Return (node, output index) that each input came from."""
        edges = (*(self._edges[i] for i in self.derivable_inputs()), *self.absent_inputs())
        return tuple(
            (None, 0) if edge is None or type(edge) is Nowhere else edge_target(edge) for edge in edges
        )

    def derivable_inputs(self) -> Sequence[int]:
        """Return the edges that torch has, too: none for an input without a derivative (a mask, an index)."""
        which: Sequence[int] | None = getattr(self._op, "differentiable_inputs", None)
        if which is not None:
            return which
        rules = getattr(self._op, "rules", ())
        if len(rules) == len(self._edges):
            return [i for i, rule in enumerate(rules) if rule is not None]
        return range(len(self._edges))

    def absent_inputs(self) -> tuple[None, ...]:
        """Return none for each edge that torch's node has behind these and that leads nowhere."""
        return (None,) * getattr(self._op, "absent", 0)

    @property
    def requires_grad(self) -> bool:
        """Return True: what does not require grad has no node."""
        return True

    @property
    def metadata(self) -> dict[Any, Any]:
        """Return a dictionary for the user's own use."""
        return hooks_of(self).metadata

    def __getattr__(self, name: str) -> Any:
        """Return `_saved_self` and the like: what the node saved, under torch's names."""
        if name.startswith("_saved_") and self._op is not None:
            return self._op.saved_attribute(self, name.removeprefix("_saved_"))
        if name.startswith("_raw_saved_") and self._op is not None:
            return self._op.saved_tensor(self, name.removeprefix("_raw_saved_"))
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'", name=name, obj=self)

    def __dir__(self) -> list[str]:
        names = [] if self._op is None else [f"_saved_{n}" for n in self._op.saved_names()]
        return [*(n for n in super().__dir__() if n != "_saved"), *names]

    def _sequence_nr(self) -> int:
        return self._seq

    def register_hook(self, fn: Callable[..., Any]) -> RemovableHandle:
        """Call ``fn(grad_inputs, grad_outputs)`` after this node ran; its result replaces `grad_inputs`."""
        return add_hook(hooks_of(self).post, fn)

    def register_prehook(self, fn: Callable[..., Any]) -> RemovableHandle:
        """Call ``fn(grad_outputs)`` before this node runs; what it returns replaces `grad_outputs`."""
        return add_hook(hooks_of(self).pre, fn)


class MultiNode(Node):
    """A node with several differentiable outputs: `_shape` and `_dtype` are tuples, and `backward` takes a
    list of covectors, None for those that did not arrive.
    """

    __slots__ = ()

@final
class Output(NamedTuple):
    """Edge to one output of a node that has several."""

    node: Node
    index: int  # type: ignore[assignment]  # narrower here than in the base


class GradientEdge(NamedTuple):
    """A place in the graph that users name: output `output_nr` of `node`."""

    node: Node
    output_nr: int
    ownership_token: Any = None

    def edge(self) -> Node | Output:
        """Return the place as the engine names it."""
        return Output(self.node, self.output_nr) if isinstance(self.node, MultiNode) else self.node

    def shape_and_dtype(self) -> tuple[Any, Any]:
        """Return the shape and NumPy dtype of the output there."""
        node, k = edge_target(self.edge())
        return (node._shape[k], node._dtype[k]) if isinstance(node, MultiNode) else (node._shape, node._dtype)


class _Leaf:
    """Mark 'a leaf that requires grad' in a tensor's node slot; its accumulator is made on first use."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "LEAF"


LEAF = _Leaf()
#: What a tensor is the result of: a node, one output of a node that has several, a leaf, or nothing known.
History = Node | Output | _Leaf | None

#: Guards `.grad` where several threads run `backward` on graphs that share leaves.
accumulation_lock = locks.lock()


class AccumulateGrad(Node):
    """The end of the graph at a leaf: adds the covector that arrives to `leaf.grad`.

    The leaf refers to it weakly and it refers to the leaf strongly, so it lives exactly as long as a graph
    needs it.
    """

    __slots__ = ("__weakref__", "variable")

    __module__ = "torch.autograd.graph"

    _takes_scalars = True

    variable: TensorBase

    def name(self) -> str:
        """Return the name of the node."""
        return "torch::autograd::AccumulateGrad"


def accumulator(leaf: TensorBase) -> AccumulateGrad:
    """Return the live accumulator of a leaf, or make one."""
    value, reference = leaf._value, leaf._accumulator
    if type(value) is not ndarray and settled(leaf) is not value:
        return accumulator(leaf)  # a trace of another thread had put both there
    found: AccumulateGrad | None = reference() if reference is not None else None
    if found is not None:
        return found
    if type(value) is not ndarray:
        inner: Any = value
        while hasattr(inner, "_node"):
            inner = inner._value
        value = inner
    # Each step makes one for each parameter: a constructor costs 0.2 µs more.
    node = _new(AccumulateGrad)
    node.variable = leaf
    node._edges = node._saved = ()
    node._shape = value.shape
    node._dtype = value.dtype
    node._hooks = leaf._leaf_hooks
    node._seq = next_sequence()
    leaf._accumulator = weakref.ref(node)
    return node


class Nowhere(Node):
    """The history of a view that was made unrecorded, of a base that requires grad.

    Such a view requires grad, as its base does, but no covector gets any further. What users see is a leaf
    without a node. `inference` says whether it was made in inference mode.
    """

    __slots__ = ("inference",)

    inference: bool

    def __init__(self, value: ndarray | InnerValue) -> None:
        self.inference = modes().inference
        self._edges = self._saved = ()
        self._shape = value.shape
        self._dtype = value.dtype
        self._hooks = None
        self._seq = next_sequence()

    def backward(self, g: Any) -> tuple[Any, ...]:
        return ()

    backward_graph = backward


def unrecorded(parent: TensorBase, value: ndarray | InnerValue) -> Nowhere | None:
    """Return the history of a view with this value that was taken of `parent` where nothing is recorded."""
    base = parent if parent._view is None else parent._view.base
    return None if base._node is None or value.dtype not in DIFFERENTIABLE else Nowhere(value)


def edge_target(edge: Any) -> tuple[Node, int]:
    """Return (node, output index) of an edge."""
    if type(edge) is not Output:
        return edge, 0
    node, index = edge
    return node._edges[index] if node.is_parted else (node, index)  # type: ignore[return-value]  # an Output


def dtype_at(edge: Node | Output) -> Any:
    """Return the NumPy dtype of covectors that an edge takes."""
    node, index = edge_target(edge)
    return node._dtype[index] if type(edge) is Output else node._dtype


def short_name(kind: type[Node]) -> str:
    """Return torch's name of a class of nodes in messages: 'Add' of AddBackward0, 'Pow1' of PowBackward1."""
    name = kind.__name__
    if name in _WRITTEN_IN_CPP:
        return f"torch::autograd::{name}"
    return re.sub(r"Backward(?:0?$|(?=\d+$))", "", name)
