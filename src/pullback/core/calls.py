"""The calls: what runs when an op is called, one plain closure per arity.

A closure first asks for the common case, facade tensors around arrays of one floating dtype in the default or
the no-grad mode, and does everything for it inline: the kernel, the node, the result. Everything else (other
dtypes that need promotion, Python numbers of other kinds, transforms, subclasses, hooks, other modes) takes
`value.run`, whose tensor case is `run_tensor` here. Measured on 8×8 float32 with a recorded node: 0.9 µs
inline, 3 µs general.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy import ndarray

from .. import dtypes
from .bulk import bulk_saved
from .modes import DEFAULT, NO_GRAD, modes
from .node import LEAF, MultiNode, Node, Output, accumulator, next_sequence
from .quiet import IGNORE, loud, quiet
from .saved import FROZEN, check_versions, graph_saved, modified, plain_saved, save
from .value import TensorBase, dtype_of, run, shape_of
from .views import View, bring_up_to_date

if TYPE_CHECKING:
    from .op import Op

_new = object.__new__
F32 = np.dtype(np.float32)
F64 = np.dtype(np.float64)

#: Dtypes that carry gradients.
DIFFERENTIABLE = frozenset(d.numpy for d in dtypes.BY_NUMPY.values() if d.is_floating_point or d.is_complex)

#: The facade and the parameter class; set once by `use_facade` and `use_parameter`.
Tensor: Any = None
Parameter: Any = None

#: Above this many elements a ufunc runs on several threads (set by `use_parallel`).
PARALLEL_SIZE = 1 << 62
parallel: Callable[..., ndarray]


def use_facade(cls: Any) -> None:
    """Take the facade class (see `value.register_facade`)."""
    global Tensor
    Tensor = cls
    TensorBase._facade = cls


def use_parameter(cls: Any) -> None:
    """Take the class of parameters, which the inline paths accept like the facade."""
    global Parameter
    Parameter = cls


def use_parallel(call: Callable[..., ndarray], size: int) -> None:
    """Take the array layer's parallel ufunc call and the size from which it pays."""
    global parallel, PARALLEL_SIZE
    parallel, PARALLEL_SIZE = call, size


def edge_of(tensor: Any) -> Any:
    """The edge that leads to a tensor's history, or None."""
    if tensor._view is not None:
        bring_up_to_date(tensor)
    node = tensor._node
    return accumulator(tensor) if node is LEAF else node


# --- pulling back -------------------------------------------------------------------------------------------


def make_node_classes(op: Op) -> None:
    """Make the op's node class, its pullback inlined for the op's arity (see also `general_class`)."""
    layout = op.layout
    name = op.node_name
    several = len(op.differentiable_outputs) > 1 or op.many
    base = MultiNode if several else Node
    members: dict[str, Any] = {"__slots__": (), "_op": op, "__module__": "torch.autograd.graph"}
    members["_frees"] = layout.count > 0
    members["backward_bulk"] = _general_backward(op, bulk_saved, several)
    members["backward_graph"] = _general_backward(op, graph_saved, several)
    if op.joint or several or len(op.inputs) > 2:
        members["backward"] = _general_backward(op, plain_saved, several)
    elif len(op.inputs) == 1:
        members["backward"] = _backward_1(op)
    else:
        members["backward"] = _backward_2(op)
    op.node_class = type(name, (base,), members)


def general_class(op: Op) -> type[Node]:
    """Make the class of nodes that may hold packed values or belong to a transform's level."""
    fast = op.node_class
    assert fast is not None
    return type(
        op.node_name,
        (fast,),
        {
            "__slots__": ("level",),
            "backward": _general_backward(op, plain_saved, issubclass(fast, MultiNode)),
            "__module__": "torch.autograd.graph",
        },
    )


def _general_backward(op: Op, read: Callable[[Node], tuple[Any, ...]], several: bool) -> Callable[..., Any]:
    pickers = op.layout.pickers
    rules = op.rules

    if op.joint:
        rule, pick = rules[0], pickers[0]
        wants_needs = "needs" in op.layout.wanted[0]

        def joint(self: Node, g: Any) -> tuple[Any, ...]:
            saved = read(self)
            if several:
                g = materialized(self, g)
            values = pick(saved)
            if wants_needs:
                return rule(g, *values, needs=tuple(e is not None for e in self._edges))  # type: ignore[misc]
            return rule(g, *values)  # type: ignore[misc]

        return joint

    def backward(self: Node, g: Any) -> tuple[Any, ...]:
        saved = read(self)
        if several:
            g = materialized(self, g)
        return tuple(
            rule(g, *pick(saved)) if edge is not None and rule is not None else None
            for rule, pick, edge in zip(rules, pickers, self._edges, strict=True)
        )

    return backward


def materialized(node: Node, g: Sequence[Any]) -> tuple[Any, ...]:
    """Covectors of a node with several outputs, zeros where none arrived."""
    if all(v is not None for v in g):
        return tuple(g)
    some = next(v for v in g if v is not None)
    return tuple(
        zeros_like_value(some, shape, dtype) if v is None else v
        for v, shape, dtype in zip(g, node._shape, node._dtype, strict=True)
    )


def zeros_like_value(like: Any, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Any:
    """Zeros of the same kind (array or tensor) as `like`."""
    zeros = np.zeros(shape, dtype)
    return zeros if isinstance(like, (ndarray, np.generic)) else _wrap(zeros)


def _wrap(value: Any) -> Any:
    tensor = _new(Tensor)
    tensor._value = value
    tensor._node = None
    tensor._counter = [0]
    tensor._view = None
    return tensor


def _backward_1(op: Op) -> Callable[..., Any]:
    rule, pick = op.rules[0], op.layout.pickers[0]
    count = op.layout.count
    assert rule is not None

    if count == 0:

        def backward(self: Node, g: Any) -> tuple[Any, ...]:
            return (rule(g, *pick(self._saved)),)

    elif count == 1 and op.layout.wanted[0] == [op.layout.values[0]]:

        def backward(self: Node, g: Any) -> tuple[Any, ...]:
            saved = self._saved
            if saved is None or saved[1][0] != saved[2]:
                check_versions(self, 1)
            return (rule(g, saved[0]),)  # type: ignore[index]  # check_versions raises on None

    else:

        def backward(self: Node, g: Any) -> tuple[Any, ...]:
            check_versions(self, count)
            return (rule(g, *pick(self._saved)),)

    return backward


def _backward_2(op: Op) -> Callable[..., Any]:
    rule_x, rule_y = op.rules
    pick_x, pick_y = op.layout.pickers
    count = op.layout.count

    def backward(self: Node, g: Any) -> tuple[Any, ...]:
        if count:
            check_versions(self, count)
        saved = self._saved
        edge_x, edge_y = self._edges
        return (
            rule_x(g, *pick_x(saved)) if edge_x is not None and rule_x is not None else None,
            rule_y(g, *pick_y(saved)) if edge_y is not None and rule_y is not None else None,
        )

    if count == 2 and op.layout.values == op.inputs and op.layout.wanted in ([["x"], ["y"]], [["y"], ["x"]]):
        i, j = (3, 0) if op.layout.wanted[0] == ["y"] else (0, 3)

        def backward_swapped(self: Node, g: Any) -> tuple[Any, ...]:
            saved = self._saved
            if saved is None or saved[1][0] != saved[2] or saved[4][0] != saved[5]:
                check_versions(self, 2)
            edge_x, edge_y = self._edges
            return (
                rule_x(g, saved[i]) if edge_x is not None else None,  # type: ignore[index, misc]
                rule_y(g, saved[j]) if edge_y is not None else None,  # type: ignore[index, misc]
            )

        return backward_swapped
    return backward


# --- the general path ---------------------------------------------------------------------------------------


def run_tensor(op: Op, inputs: tuple[Any, ...], attrs: tuple[Any, ...], level: int) -> Any:
    """Run `op` on the inner values of the tensors at `level` and put a node behind the result where
    one is needed.
    """
    mode = modes()
    record = op.node_class is not None and mode.grad and not mode.inference
    inner: list[Any] = []
    edges: list[Any] = []
    wanted = False
    aliased = None
    for v in inputs:
        if isinstance(v, TensorBase) and v._level == level:
            inner.append(v._value)
            if aliased is None:
                aliased = v
            edge = v._node
            if edge is not None and record:
                if edge is LEAF:
                    edge = accumulator(v)
                wanted = True
            edges.append(edge)
        else:
            inner.append(v)
            edges.append(None)
    result = op.evaluate(tuple(inner), attrs) if level == 0 else run(op, tuple(inner), attrs)
    several = isinstance(result, tuple)
    if op.is_view:
        outs = [_view_result(op, attrs, aliased, r, k, several, mode) for k, r in
                enumerate(result if several else (result,))]
    else:
        outs = [_result(r, level) for r in (result if several else (result,))]
    if mode.inference:
        for out in outs:
            out._inference = True
    if wanted:
        _attach(op, inputs, inner, attrs, edges, outs, several, level)
    return tuple(outs) if several else outs[0]


def _result(value: Any, level: int) -> Any:
    out = _wrap(value)
    if level:
        out._level = level
    return out


def _view_result(
    op: Op, attrs: tuple[Any, ...], parent: Any, value: Any, index: int, several: bool, mode: Any
) -> Any:
    out = _new(Tensor)
    out._value = value
    out._node = None
    out._counter = parent._counter
    out._view = View.of(parent, op, attrs, index if several else None, mode)
    if parent._level:
        out._level = parent._level
    return out


def _attach(
    op: Op,
    tensors: Sequence[Any],
    inner: Sequence[Any],
    attrs: tuple[Any, ...],
    edges: Sequence[Any],
    outs: Sequence[Any],
    several: bool,
    level: int,
) -> None:
    """Make the node of a call and put it behind the differentiable outputs."""
    which = range(len(outs)) if op.many else op.differentiable_outputs
    carried = [outs[k] for k in which if dtype_of(outs[k]._value) in DIFFERENTIABLE]
    if not carried:
        return
    node = _new(op.general_class)
    node.level = level  # type: ignore[attr-defined]  # the general class has the slot
    node._edges = tuple(edges)
    node._hooks = None
    layout = op.layout
    if op.joint:
        wants: tuple[bool, ...] = (True,)
    else:
        wants = tuple(e is not None for e in edges)
    save(node, layout, tensors, inner, attrs, outs, wants)
    if isinstance(node, MultiNode):
        node._shape = tuple(shape_of(o._value) for o in carried)
        node._dtype = tuple(dtype_of(o._value) for o in carried)
        for k, out in enumerate(carried):
            out._node = Output(node, k)
    else:
        node._shape = shape_of(carried[0]._value)
        node._dtype = dtype_of(carried[0]._value)
        carried[0]._node = node
    node._seq = next_sequence()
    for created in node_watchers:
        created(node)


#: Called with each node that the general path makes (anomaly mode keeps the stack of the call).
node_watchers: list[Callable[[Node], None]] = []


# --- the closures -------------------------------------------------------------------------------------------


def make_call(op: Op, public: bool, operator: bool = False) -> Callable[..., Any]:
    """Make the closure for the op's arity; as an operator it answers NotImplemented to a foreign operand."""
    call: Callable[..., Any]
    if op.variadic:
        call = _variadic(op)
    elif op.many and op.is_view and not op.layout.count:
        call = _parts(op)
    elif not op.attrs and len(op.inputs) == 1 and not op.many and len(op.outputs) == 1:
        call = _unary(op, public)
    elif not op.attrs and len(op.inputs) == 2 and len(op.outputs) == 1:
        call = _binary(op, public, operator)
    elif len(op.inputs) == 1 and not op.many and len(op.outputs) == 1:
        call = _unary_with_attrs(op)
    else:
        call = _general(op)
    call.__name__ = call.__qualname__ = op.name
    call.__doc__ = op.kernel.__doc__ if not isinstance(op.kernel, np.ufunc) else None
    call.op = op  # type: ignore[attr-defined]  # functions take attributes
    return call


def _variadic(op: Op) -> Callable[..., Any]:
    kernel = op.kernel
    node_class = op.node_class
    inline = (
        not op.layout.count and not op.layout.metadata and not op.is_view and op.promote in (None, "same")
    )
    halves = op.halves

    def call(tensors: Sequence[Any], *attrs: Any) -> Any:
        mode = modes()
        if not inline or not tensors or (mode is not DEFAULT and mode is not NO_GRAD):
            return run(op, tuple(tensors), attrs)
        dtype = None
        recorded = False
        arrays = []
        edges = []
        for v in tensors:
            t = type(v)
            if t is not Tensor and t is not Parameter:
                return run(op, tuple(tensors), attrs)
            a = v._value
            if type(a) is not ndarray or (a.dtype is not dtype and dtype is not None):
                return run(op, tuple(tensors), attrs)
            dtype = a.dtype
            if v._view is not None:
                bring_up_to_date(v)
            node = v._node
            if node is not None:
                recorded = True
                if node is LEAF:
                    node = accumulator(v)
            arrays.append(a)
            edges.append(node)
        if halves and dtype is not F32 and dtype is not F64:
            return run(op, tuple(tensors), attrs)
        y = _new(Tensor)
        y._value = r = kernel(tuple(arrays), *attrs)
        y._counter = [0]
        y._view = None
        if not recorded or mode is NO_GRAD or node_class is None or dtype not in DIFFERENTIABLE:
            y._node = None
            return y
        y._node = n = _new(node_class)
        n._edges = tuple(edges)
        n._saved = attrs
        n._shape = r.shape
        n._dtype = r.dtype
        n._hooks = None
        n._seq = next_sequence()
        return y

    return call


def _parts(op: Op) -> Callable[..., Any]:
    """A view op with any number of outputs (unbind, split)."""
    kernel = op.kernel
    node_class = op.node_class
    saves_shape = bool(op.layout.metadata)

    def call(input: Any, *attrs: Any) -> Any:
        t = type(input)
        if t is not Tensor and t is not Parameter:
            return op.evaluate((input,), attrs) if t is ndarray else run(op, (input,), attrs)
        a = input._value
        mode = modes()
        if type(a) is not ndarray or (mode is not DEFAULT and mode is not NO_GRAD):
            return run(op, (input,), attrs)
        if input._view is not None:
            bring_up_to_date(input)
        outs = []
        for k, r in enumerate(kernel(a, *attrs)):
            y = _new(Tensor)
            y._value = r
            y._node = None
            y._counter = input._counter
            y._view = View.of(input, op, attrs, k, mode)
            outs.append(y)
        node = input._node
        if node is None or mode is NO_GRAD or not outs or node_class is None:
            return tuple(outs)
        n = _new(node_class)
        n._edges = (accumulator(input) if node is LEAF else node,)
        n._saved = (a.shape, *attrs) if saves_shape else attrs
        n._shape = tuple([y._value.shape for y in outs])
        n._dtype = (a.dtype,) * len(outs)
        n._hooks = None
        n._seq = next_sequence()
        for k, y in enumerate(outs):
            y._node = Output(n, k)
        return tuple(outs)

    return call


def _general(op: Op) -> Callable[..., Any]:
    count = len(op.inputs)

    def call(*args: Any) -> Any:
        return run(op, args[:count], args[count:])

    return call


def _unary(op: Op, public: bool) -> Callable[..., Any]:
    kernel = op.kernel
    node_class = op.node_class
    saves_x = op.inputs[0] in op.layout.values
    saves_out = "out" in op.layout.values
    metadata = bool(op.layout.metadata)
    elementwise = op.kind == "elementwise"
    ufunc = isinstance(kernel, np.ufunc)
    view = op.is_view
    if view or metadata:
        return _unary_with_attrs(op)

    def call(input: Any, *, out: Any = None) -> Any:
        t = type(input)
        if (t is Tensor or t is Parameter) and out is None:
            a = input._value
            if type(a) is ndarray and ((d := a.dtype) is F32 or d is F64):
                if input._view is not None:
                    bring_up_to_date(input)
                node = input._node
                mode = modes()
                if mode is not DEFAULT:
                    if mode is not NO_GRAD:
                        return run(op, (input,), ())
                    node = None
                token = quiet(IGNORE)
                try:
                    if ufunc and a.size >= PARALLEL_SIZE:
                        r = parallel(kernel, a)
                    elif elementwise:
                        r = kernel(a, out=...)
                    else:
                        r = kernel(a)
                except (ValueError, TypeError):
                    r = op.evaluate((a,), ())
                finally:
                    loud(token)
                y = _new(Tensor)
                y._value = r
                y._counter = version = [0]
                y._view = None
                if node is None or node_class is None:
                    y._node = None
                    return y
                y._node = n = _new(node_class)
                n._edges = (accumulator(input) if node is LEAF else node,)
                if saves_x:
                    v = input._counter
                    n._saved = (a, v, v[0], r, version, 0) if saves_out else (a, v, v[0])
                else:
                    n._saved = (r, version, 0) if saves_out else ()
                n._shape = r.shape
                n._dtype = r.dtype
                n._hooks = None
                n._seq = next_sequence()
                return y
        elif t is ndarray and not public:
            if elementwise and (input.dtype is F32 or input.dtype is F64) and input.size < PARALLEL_SIZE:
                return kernel(input, out=...)
            return op.evaluate((input,), ())
        return public_call(op, (input,), out) if public else run(op, (input,), ())

    return call


def _binary(op: Op, public: bool, operator: bool) -> Callable[..., Any]:
    kernel = op.kernel
    node_class = op.node_class
    layout = op.layout
    elementwise = op.kind == "elementwise"
    ufunc = isinstance(kernel, np.ufunc)
    x_name, y_name = op.inputs
    inline = not layout.metadata and set(layout.values) <= {x_name, y_name, "out"}
    plans = {
        wants: tuple(
            dict(zip(layout.values, layout.needed(wants), strict=True)).get(n)
            for n in (x_name, y_name, "out")
        )
        for wants in ((True, True), (True, False), (False, True))
    }
    has = tuple(n in layout.values for n in (x_name, y_name, "out"))
    if not inline:
        return _general_binary(op, public, operator)
    none = (None, FROZEN, 0)

    def call(input: Any, other: Any, *, out: Any = None) -> Any:
        t = type(input)
        if (t is Tensor or t is Parameter) and out is None:
            a = input._value
            if type(a) is ndarray and ((d := a.dtype) is F32 or d is F64):
                s = type(other)
                if s is Tensor or s is Parameter:
                    b = other._value
                    if type(b) is not ndarray or b.dtype is not d:
                        return (
                            public_call(op, (input, other), None, operator)
                            if public
                            else run(op, (input, other), ())
                        )
                    if other._view is not None:
                        bring_up_to_date(other)
                    node_y = other._node
                elif (s is float or s is int) and elementwise:
                    b = other
                    node_y = None
                else:
                    return (
                        public_call(op, (input, other), None, operator)
                        if public
                        else run(op, (input, other), ())
                    )
                if input._view is not None:
                    bring_up_to_date(input)
                node_x = input._node
                mode = modes()
                if mode is not DEFAULT:
                    if mode is not NO_GRAD:
                        return run(op, (input, other), ())
                    node_x = node_y = None
                token = quiet(IGNORE)
                try:
                    if ufunc and a.size >= PARALLEL_SIZE:
                        r = parallel(kernel, a, b)
                    elif elementwise:
                        r = kernel(a, b, out=...)
                    else:
                        r = kernel(a, b)
                except (ValueError, TypeError):
                    r = op.evaluate((a, b), ())
                finally:
                    loud(token)
                y = _new(Tensor)
                y._value = r
                y._counter = version = [0]
                y._view = None
                if (node_x is None and node_y is None) or node_class is None:
                    y._node = None
                    return y
                y._node = n = _new(node_class)
                if node_x is LEAF:
                    node_x = accumulator(input)
                if node_y is LEAF:
                    node_y = accumulator(other)
                n._edges = (node_x, node_y)
                keep_x, keep_y, keep_out = plans[node_x is not None, node_y is not None]
                saved: tuple[Any, ...] = ()
                if has[0]:
                    saved = (a, v := input._counter, v[0]) if keep_x else none
                if has[1]:
                    if not keep_y:
                        saved += none
                    elif s is float or s is int:
                        saved += (b, FROZEN, 0)
                    else:
                        saved += (b, v := other._counter, v[0])
                if has[2]:
                    saved += (r, version, 0) if keep_out else none
                n._saved = saved
                n._shape = r.shape
                n._dtype = r.dtype
                n._hooks = None
                n._seq = next_sequence()
                return y
        elif t is ndarray and not public:
            d = input.dtype
            if elementwise and (d is F32 or d is F64) and input.size < PARALLEL_SIZE:
                s = type(other)
                if (s is ndarray and other.dtype is d) or s is float or s is int:
                    return kernel(input, other, out=...)
            return run(op, (input, other), ())
        return public_call(op, (input, other), out, operator) if public else run(op, (input, other), ())

    return call


def _general_binary(op: Op, public: bool, operator: bool) -> Callable[..., Any]:
    def call(input: Any, other: Any, *, out: Any = None) -> Any:
        return public_call(op, (input, other), out, operator) if public else run(op, (input, other), ())

    return call


def _unary_with_attrs(op: Op) -> Callable[..., Any]:
    kernel = op.kernel
    node_class = op.node_class
    saves_x = op.inputs[0] in op.layout.values
    saves_out = "out" in op.layout.values
    saves_shape = bool(op.layout.metadata)
    elementwise = op.kind == "elementwise"
    view = op.is_view
    any_dtype = op.promote is None and not op.halves

    def call(input: Any, *attrs: Any) -> Any:
        t = type(input)
        if t is Tensor or t is Parameter:
            a = input._value
            if type(a) is ndarray and ((d := a.dtype) is F32 or d is F64 or any_dtype):
                if input._view is not None:
                    bring_up_to_date(input)
                node = input._node
                mode = modes()
                if mode is not DEFAULT:
                    if mode is not NO_GRAD:
                        return run(op, (input,), attrs)
                    node = None
                if view:
                    r = kernel(a, *attrs)
                else:
                    token = quiet(IGNORE)
                    try:
                        r = kernel(a, *attrs, out=...) if elementwise else kernel(a, *attrs)
                    finally:
                        loud(token)
                y = _new(Tensor)
                y._value = r
                if view:
                    y._counter = version = input._counter
                    y._view = View.of(input, op, attrs, None, mode)
                else:
                    y._counter = version = [0]
                    y._view = None
                if node is None or node_class is None:
                    y._node = None
                    return y
                if r.dtype is not d and r.dtype not in DIFFERENTIABLE:
                    y._node = None
                    return y
                y._node = n = _new(node_class)
                n._edges = (accumulator(input) if node is LEAF else node,)
                saved = attrs
                if saves_shape:
                    saved = (a.shape, *saved)
                if saves_out:
                    saved = (r, version, version[0], *saved)
                if saves_x:
                    v = input._counter
                    saved = (a, v, v[0], *saved)
                n._saved = saved
                n._shape = r.shape
                n._dtype = r.dtype
                n._hooks = None
                n._seq = next_sequence()
                return y
        elif t is ndarray:
            return op.evaluate((input,), attrs)
        return run(op, (input,), attrs)

    return call


#: Set by `tensor/`: checks user arguments, serves `__torch_function__` and `out=`, then runs the op.
public_call: Callable[..., Any] = lambda op, inputs, out, operator=False: run(op, inputs, ())  # noqa: E731


def use_public_call(call: Callable[..., Any]) -> None:
    """Take the facade's way of treating whatever is not the common case of a public call."""
    global public_call
    public_call = call


TensorBase.run = classmethod(lambda cls, op, inputs, attrs, level: run_tensor(op, inputs, attrs, level))  # type: ignore[method-assign, assignment]

__all__ = ["edge_of", "make_call", "make_node_classes", "modified", "run_tensor"]
