"""The calls: what runs when an op is called, one plain closure per arity.

A closure first asks for the common case, facade tensors around arrays of one floating dtype in the default or
the no-grad mode, and does everything for it inline: the kernel, the node, the result. Everything else (other
dtypes that need promotion, Python numbers of other kinds, transforms, subclasses, hooks, other modes) takes
`value.run`, whose tensor case is `general_call.run_tensor`. Measured on 8×8 float32 with a recorded node:
0.9 µs inline, 3 µs general.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from inspect import CO_VARKEYWORDS
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy import ndarray

from ..array.elementwise import WORTH_ASKING as PARALLEL_SIZE
from ..array.elementwise import apply as parallel
from ..array.layout import following_channels, following_planes, placed
from ..array.strides import settled
from .blame import stamp
from .modes import DEFAULT, NO_GRAD, modes
from .node import DIFFERENTIABLE, LEAF, Node, Output, accumulator, unrecorded
from .quiet import IGNORE, loud, quiet
from .saved import FROZEN
from .value import run
from .views import View, bring_up_to_date

if TYPE_CHECKING:
    from .op import Op

_new = object.__new__
F32 = np.dtype(np.float32)
F64 = np.dtype(np.float64)
I64 = np.dtype(np.int64)
#: The integers that kernels take as they are.
LEAST, MOST = -(1 << 63), (1 << 63) - 1

#: The facade and the parameter class, which the inline paths accept; see `use_facade`.
Tensor: Any = None
Parameter: Any = None


def use_facade(**names: Any) -> None:
    """Take the facade: the classes `Tensor` and `Parameter`, and `public_call`, as each is defined.

    `public_call` treats what is not the common case of a public call: it checks the user's arguments, serves
    ``__torch_function__`` and ``out=``, then runs the op.
    """
    globals().update(names)


def edge_of(tensor: Any) -> Any:
    """The edge that leads to a tensor's history, or None."""
    if tensor._view is not None:
        bring_up_to_date(tensor)
    node = tensor._node
    return accumulator(tensor) if node is LEAF else node


# --- the closures -------------------------------------------------------------------------------------------


def _ONE(input: Any, *, out: Any = None) -> Any:
    """The signature of public calls of one input."""


def _TWO(input: Any, other: Any, *, out: Any = None) -> Any:
    """The signature of public calls of two inputs."""


#: Stands for an argument that was not given.
ABSENT: Any = object()


def make_call(op: Op, public: bool, method: str = "") -> Callable[..., Any]:
    """Make the closure for the op's arity.

    A public one takes any number of arguments, so that a wrong call has torch's error and not Python's. As a
    method it has this name; as an operator, which is a method too, it answers NotImplemented to a foreign
    operand.
    """
    call: Callable[..., Any]
    if op.variadic:
        call = _variadic(op)
    elif op.many and op.is_view and not op.layout.count:
        call = _parts(op)
    elif op.signs is not None and op.kind != "view":
        call = _general(op)
    elif not op.attrs and len(op.inputs) == 1 and not op.many and len(op.outputs) == 1:
        call = _unary(op, public, method)
    elif not op.attrs and len(op.inputs) == 2 and len(op.outputs) == 1 and not op.joint:
        call = _binary(op, public, method)
    elif len(op.inputs) == 1 and not op.many and len(op.outputs) == 1:
        call = _unary_with_attrs(op)
    elif not op.many and not op.is_view and len(op.outputs) == 1:
        call = _several(op)
    else:
        call = _general(op)
    call.__name__ = call.__qualname__ = op.name
    call.__doc__ = op.kernel.__doc__ if not isinstance(op.kernel, np.ufunc) else None
    call.op = op  # type: ignore[attr-defined]  # functions take attributes
    if public and call.__code__.co_flags & CO_VARKEYWORDS:
        call.__wrapped__ = _ONE if len(op.inputs) == 1 else _TWO  # type: ignore[attr-defined]  # what `inspect.signature` follows
    return call


def _variadic(op: Op) -> Callable[..., Any]:
    kernel = op.kernel
    derivable = op.derivable
    node_class: type[Node] | None = None
    inline = (
        not op.layout.count and not op.layout.metadata and not op.is_view and op.promote in (None, "same")
    )
    halves = op.halves

    def call(tensors: Sequence[Any], *attrs: Any) -> Any:
        nonlocal node_class
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
        if not recorded or mode is NO_GRAD or not derivable or dtype not in DIFFERENTIABLE:
            y._node = None
            return y
        if node_class is None:
            node_class = op.node_class
        y._node = n = _new(node_class)
        n._edges = tuple(edges)
        n._saved = attrs
        n._shape = r.shape
        n._dtype = r.dtype
        stamp(n)
        return y

    return call


def _parts(op: Op) -> Callable[..., Any]:
    """A view op with any number of outputs (unbind, split)."""
    kernel = op.kernel
    derivable = op.derivable
    node_class: type[Node] | None = None
    saves_shape = bool(op.layout.metadata)

    def call(input: Any, *attrs: Any) -> Any:
        nonlocal node_class
        t = type(input)
        if t is not Tensor and t is not Parameter:
            return op.evaluate((input,), attrs) if t is ndarray else run(op, (input,), attrs)
        a = input._value
        mode = modes()
        if type(a) is not ndarray or (mode is not DEFAULT and mode is not NO_GRAD):
            return run(op, (input,), attrs)
        if input._view is not None and derivable:
            bring_up_to_date(input)
        outs = []
        for k, r in enumerate(kernel(a if a.size else settled(a), *attrs)):
            y = _new(Tensor)
            y._value = r
            y._node = None
            y._counter = input._counter
            y._view = View.of(input, op, attrs, k, mode)
            outs.append(y)
        node = input._node
        if node is None or mode is NO_GRAD or not outs or not derivable:
            if node is not None:
                for y in outs:
                    y._node = unrecorded(input, y._value)
            return tuple(outs)
        if node_class is None:
            node_class = op.node_class
        n = _new(node_class)
        n._edges = (accumulator(input) if node is LEAF else node,)
        n._saved = (a.shape, *attrs) if saves_shape else attrs
        n._shape = tuple([y._value.shape for y in outs])
        n._dtype = (a.dtype,) * len(outs)
        stamp(n)
        for k, y in enumerate(outs):
            y._node = Output(n, k)
        return tuple(outs)

    return call


def _general(op: Op) -> Callable[..., Any]:
    count = len(op.inputs)

    def call(*args: Any) -> Any:
        return run(op, args[:count], args[count:])

    return call


def _are_bare(inputs: tuple[Any, ...]) -> bool:
    """Whether there are arrays, numbers and gaps only, as rules of a plain backward call ops with."""
    for v in inputs:
        t = type(v)
        if t is not ndarray and t is not int and t is not float and v is not None:
            return False
    return True


def _several(op: Op) -> Callable[..., Any]:
    """An op of several inputs, of which some may be None: the arrays need not be of one dtype, `evaluate`
    says what becomes of them.
    """
    count = len(op.inputs)
    kernel = op.kernel
    derivable = op.derivable
    node_class: type[Node] | None = None
    layout = op.layout
    direct = op.check is None and op.promote is None and op.kind != "elementwise"
    place = op.place
    takes_integers = I64 not in op.refused

    def call(*args: Any) -> Any:
        nonlocal node_class
        mode = modes()
        inputs, attrs = args[:count], args[count:]
        if type(inputs[0]) is ndarray and _are_bare(inputs):
            return op.evaluate(inputs, attrs)
        if mode is not DEFAULT and mode is not NO_GRAD:
            return run(op, inputs, attrs)
        records = derivable and mode is DEFAULT
        arrays: list[Any] = []
        edges: list[Any] = []
        recorded = found = False
        plain = direct
        for v in inputs:
            t = type(v)
            if t is Tensor or t is Parameter:
                a = v._value
                if type(a) is not ndarray:
                    return run(op, inputs, attrs)
                plain = plain and ((d := a.dtype) is F32 or d is F64 or (d is I64 and takes_integers))
                if v._view is not None and derivable:
                    bring_up_to_date(v)
                    a = v._value
                node = v._node
                if node is not None and records:
                    recorded = True
                    if node is LEAF:
                        node = accumulator(v)
                found = True
                arrays.append(a)
                edges.append(node)
            elif v is None:
                arrays.append(None)
                edges.append(None)
            else:
                return run(op, inputs, attrs)
        if plain:
            token = quiet(IGNORE)
            try:
                r = kernel(*arrays, *attrs)
                if place is not None:
                    r = place(r, arrays)
            except TypeError:
                r = op.evaluate(tuple(arrays), attrs)
            finally:
                loud(token)
        else:
            r = op.evaluate(tuple(arrays), attrs)
        if not found:
            return r
        y = _new(Tensor)
        y._value = r
        y._counter = version = [0]
        y._view = None
        if not recorded or not derivable or r.dtype not in DIFFERENTIABLE:
            y._node = None
            return y
        if node_class is None:
            node_class = op.node_class
        y._node = n = _new(node_class)
        n._edges = tuple(edges)
        wants = (True,) if op.joint else tuple([e is not None for e in edges])
        saved: list[Any] = []
        for keep, i in zip(layout.needed(wants), layout.input_index):
            if not keep or (i >= 0 and arrays[i] is None):
                saved += (None, FROZEN, 0)
            elif i < 0:
                saved += (r, version, 0)
            else:
                v = inputs[i]._counter
                saved += (arrays[i], v, v[0])
        for i in layout.metadata_inputs:
            saved.append(() if arrays[i] is None else arrays[i].shape)
        saved += attrs
        n._saved = tuple(saved)
        n._shape = r.shape
        n._dtype = r.dtype
        stamp(n)
        return y

    return call


def _unary(op: Op, public: bool, method: str) -> Callable[..., Any]:
    kernel = op.kernel
    derivable = op.derivable
    node_class: type[Node] | None = None
    saves_x = op.inputs[0] in op.layout.values
    saves_out = "out" in op.layout.values
    metadata = bool(op.layout.metadata)
    elementwise = op.kind == "elementwise"
    ufunc = isinstance(kernel, np.ufunc)
    place = op.place
    #: Whether a result that lies as the operand does stays there.
    usual = place is placed
    view = op.is_view
    if view or metadata:
        return _unary_with_attrs(op)

    def call(input: Any = ABSENT, *surplus: Any, **named: Any) -> Any:
        nonlocal node_class
        t = type(input)
        if (t is Tensor or t is Parameter) and not named and not surplus:
            a = input._value
            if type(a) is ndarray and ((d := a.dtype) is F32 or d is F64):
                if input._view is not None and derivable:
                    bring_up_to_date(input)
                node = input._node
                mode = modes()
                if mode is not DEFAULT:
                    if mode is not NO_GRAD:
                        return public_call(op, (input,), named, method) if public else run(op, (input,), ())
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
                if place is not None and not a.flags.c_contiguous and not (usual and r.strides == a.strides):
                    r = place(r, (a,))
                y = _new(Tensor)
                y._value = r
                y._counter = version = [0]
                y._view = None
                if node is None or not derivable:
                    y._node = None
                    return y
                if node_class is None:
                    node_class = op.node_class
                y._node = n = _new(node_class)
                n._edges = (accumulator(input) if node is LEAF else node,)
                if saves_x:
                    v = input._counter
                    n._saved = (a, v, v[0], r, version, 0) if saves_out else (a, v, v[0])
                else:
                    n._saved = (r, version, 0) if saves_out else ()
                n._shape = r.shape
                n._dtype = r.dtype
                stamp(n)
                return y
        elif t is ndarray and not public:
            if elementwise and (input.dtype is F32 or input.dtype is F64) and input.size < PARALLEL_SIZE:
                return kernel(input, out=...)
            return op.evaluate((input,), ())
        elif (t is np.float32 or t is np.float64) and ufunc and not public:
            return kernel(input)
        return public_call(op, (input, *surplus), named, method) if public else run(op, (input,), ())

    return call


def _binary(op: Op, public: bool, method: str) -> Callable[..., Any]:
    kernel = op.kernel
    derivable = op.derivable
    node_class: type[Node] | None = None
    layout = op.layout
    elementwise = op.kind == "elementwise"
    numbers = elementwise and (op.numbers or not public)
    ufunc = isinstance(kernel, np.ufunc)
    place = op.place
    # Sums of indices are as common as sums of values: inline, ``i + 8`` of int64 takes 3 µs and not 17.
    integers = I64 if elementwise and op.promote == "same" and I64 not in op.refused else None
    check = op.check
    # What rules call on arrays of one floating dtype needs neither promotion nor a check.
    bare = not elementwise and check is None
    names = (*op.inputs, "out")
    # What lies like the second operand takes more to see than is looked at here.
    unusual = elementwise and place is not placed
    if unusual or layout.metadata or not set(layout.values) <= set(names):
        return _general_binary(op, public, method)
    wanted_x, wanted_y = ([*names, *layout.kept] for names in layout.wanted) if derivable else ((), ())
    # Which of x, y and the result a node saves, by whether x and y want covectors.
    plans = {
        (True, True): tuple(n in wanted_x or n in wanted_y for n in names),
        (True, False): tuple(n in wanted_x for n in names),
        (False, True): tuple(n in wanted_y for n in names),
    }
    # Which of them the node has places for, empty or not.
    has = plans[True, True]
    none = (None, FROZEN, 0)

    def call(input: Any = ABSENT, other: Any = ABSENT, *surplus: Any, **named: Any) -> Any:
        nonlocal node_class
        t = type(input)
        if (t is Tensor or t is Parameter) and not named and not surplus:
            a = input._value
            if type(a) is ndarray and ((d := a.dtype) is F32 or d is F64 or d is integers):
                s = type(other)
                if s is Tensor or s is Parameter:
                    b = other._value
                    if type(b) is not ndarray or b.dtype is not d:
                        return (
                            public_call(op, (input, other), named, method)
                            if public
                            else run(op, (input, other), ())
                        )
                    if other._view is not None and derivable:
                        bring_up_to_date(other)
                    node_y = other._node
                elif numbers and (
                    (s is int and LEAST <= other <= MOST) or (s is float and d is not integers)
                ):
                    b = other
                    node_y = None
                else:
                    return (
                        public_call(op, (input, other), named, method)
                        if public
                        else run(op, (input, other), ())
                    )
                if input._view is not None and derivable:
                    bring_up_to_date(input)
                node_x = input._node
                mode = modes()
                if mode is not DEFAULT:
                    if mode is not NO_GRAD:
                        return (
                            public_call(op, (input, other), named, method)
                            if public
                            else run(op, (input, other), ())
                        )
                    node_x = node_y = None
                if d is integers and check is not None:
                    check(a, b)
                size = a.size
                in_order = place is None or (flags := a.flags).c_contiguous
                token = quiet(IGNORE)
                try:
                    if ufunc and size >= PARALLEL_SIZE:
                        r = parallel(kernel, a, b)
                    elif elementwise:
                        if in_order or not ufunc or not flags.f_contiguous:
                            r = kernel(a, b, out=...)
                        else:
                            # Where `place` would have it: to move it takes 3.4 µs.
                            r = kernel(a, b, order="F")
                    else:
                        r = kernel(a, b)
                except (ValueError, TypeError, OverflowError):
                    r = op.evaluate((a, b), ())
                finally:
                    loud(token)
                if place is not None and (
                    size != r.size or not (in_order or (elementwise and a.strides == r.strides))
                ):
                    r = place(r, (a, b))
                y = _new(Tensor)
                y._value = r
                y._counter = version = [0]
                y._view = None
                if (node_x is None and node_y is None) or not derivable:
                    y._node = None
                    return y
                if node_class is None:
                    node_class = op.node_class
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
                stamp(n)
                return y
        elif t is ndarray and not public:
            d = input.dtype
            if elementwise and (d is F32 or d is F64) and input.size < PARALLEL_SIZE:
                s = type(other)
                if (s is ndarray and other.dtype is d) or s is float or s is int:
                    return kernel(input, other, out=...)
            elif bare and (d is F32 or d is F64) and type(other) is ndarray and other.dtype is d:
                return kernel(input, other)
            return run(op, (input, other), ())
        if public:
            return public_call(op, (input, other, *surplus), named, method)
        return run(op, (input, other), ())

    return call


def _general_binary(op: Op, public: bool, method: str) -> Callable[..., Any]:
    def call(input: Any = ABSENT, other: Any = ABSENT, *surplus: Any, **named: Any) -> Any:
        if public:
            return public_call(op, (input, other, *surplus), named, method)
        return run(op, (input, other), ())

    return call


def _unary_with_attrs(op: Op) -> Callable[..., Any]:
    kernel = op.kernel
    derivable = op.derivable
    node_class: type[Node] | None = None
    saves_x = op.inputs[0] in op.layout.values
    saves_out = "out" in op.layout.values
    saves_shape = bool(op.layout.metadata)
    elementwise = op.kind == "elementwise"
    place = op.place
    # The strides of an image of one place may say C order and channels last at once.
    in_format = place is following_channels or place is following_planes
    view = op.is_view
    any_dtype = op.promote is None and not op.halves and op.check is None
    refused = op.refused

    def call(input: Any, *attrs: Any) -> Any:
        nonlocal node_class
        t = type(input)
        if t is Tensor or t is Parameter:
            a = input._value
            if type(a) is ndarray and (
                (d := a.dtype) is F32 or d is F64 or (any_dtype and not (refused and d in refused))
            ):
                if input._view is not None and derivable:
                    bring_up_to_date(input)
                node = input._node
                mode = modes()
                if mode is not DEFAULT:
                    if mode is not NO_GRAD:
                        return run(op, (input,), attrs)
                    node = None
                if view:
                    r = kernel(a if a.size else settled(a), *attrs)
                else:
                    token = quiet(IGNORE)
                    try:
                        r = kernel(a, *attrs, out=...) if elementwise else kernel(a, *attrs)
                    except TypeError:
                        r = op.evaluate((a,), attrs)
                    finally:
                        loud(token)
                    if place is not None and (in_format or not (a.flags.c_contiguous and a.size)):
                        r = place(r, (a,))
                y = _new(Tensor)
                y._value = r
                if view:
                    y._counter = version = input._counter
                    y._view = View.of(input, op, attrs, None, mode)
                else:
                    y._counter = version = [0]
                    y._view = None
                if node is None or not derivable:
                    y._node = unrecorded(input, r) if view else None
                    return y
                if r.dtype is not d and r.dtype not in DIFFERENTIABLE:
                    y._node = None
                    return y
                if node_class is None:
                    node_class = op.node_class
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
                stamp(n)
                return y
        elif t is ndarray:
            return op.evaluate((input,), attrs)
        return run(op, (input,), attrs)

    return call


public_call: Callable[..., Any] = lambda op, inputs, named, method="": run(op, inputs, ())  # noqa: E731
