"""The calls: what runs when an op is called.

Calls of ops with a fixed number of inputs are written by one template (`call_source`), as Python source that
says only what the op's declaration leaves open, and compiled when the op is first called. They do the common
case inline: facade tensors around arrays in the default or the no-grad mode. Everything else (transforms,
subclasses, hooks, other modes) takes `value.run`, whose tensor case is `general_call.run_tensor`. Measured on
8×8 float32 with a recorded node: 0.9 µs inline, 3 µs general. Ops with any number of inputs or outputs have
closures of their own.
"""

from __future__ import annotations

import linecache
import os
import sys
from collections.abc import Callable, Sequence
from functools import partial
from types import CodeType, FunctionType
from typing import TYPE_CHECKING, Any
from zlib import crc32

import numpy as np
from numpy import float32, float64, ndarray

from ..array import dtypes, large
from ..array.deferred_import import import_later
from ..array.elementwise import apply as parallel
from ..array.elementwise_calls import ElementwiseCalls, refuse
from ..array.layout import following_channels, following_planes, placed
from ..array.numbers import DOUBLES, SINGLES
from ..array.quiet import IGNORE, loud, quiet
from ..array.strides import settled
from . import facade
from .blame import PACKAGE, next_sequence, outer_frame, own_file, stamp
from .modes import DEFAULT, INFERENCE, NO_GRAD, modes
from .node import DIFFERENTIABLE, LEAF, Node, Output, accumulator, unrecorded
from .saved import FROZEN
from .value import InnerValue, TensorBase, run
from .versions import NoVersions
from .views import NO_GRAD_VIEW, View, bring_up_to_date

if TYPE_CHECKING:
    from .call_source import Facts
    from .op import Op

#: Loaded when the first op is called.
writing = import_later(".call_source", __package__)
backend = import_later(".backend", __package__)

_new = object.__new__
F32 = np.dtype(np.float32)
F64 = np.dtype(np.float64)
I64 = np.dtype(np.int64)
#: The integers that kernels take as they are.
LEAST, MOST = -(1 << 63), (1 << 63) - 1

def edge_of(tensor: Any) -> Any:
    """Return the edge that leads to a tensor's history, or None."""
    if tensor._view is not None:
        bring_up_to_date(tensor)
    node = tensor._node
    return accumulator(tensor) if node is LEAF else node


def own_edge_of(tensor: Any) -> Any:
    """Return the edge to a tensor's history for a look at what arrives there (a hook, `inputs=`)."""
    edge = edge_of(tensor)
    if type(edge) is Output:
        edge = tensor._node = edge.node.apart(edge)
    return edge


def _ONE(input: Any, *, out: Any = None) -> Any:
    """Return the signature of public calls of one input."""


def _TWO(input: Any, other: Any, *, out: Any = None) -> Any:
    """Return the signature of public calls of two inputs."""


#: Stands for an argument that was not given.
ABSENT: Any = object()


def make_call(op: Op, public: bool, method: str = "") -> Callable[..., Any]:
    """Make what runs when an op is called.

    A public one takes any number of arguments, so that a wrong call has torch's error and not Python's. As a
    method it has this name; as an operator, which is a method too, it answers NotImplemented to a foreign
    operand.
    """
    call: Callable[..., Any]
    if op.variadic:
        call = _variadic(op)
    elif op.many and op.is_view and not op.layout.count:
        call = _parts(op)
    elif op.many or (op.signs is not None and op.kind != "view"):
        call = _general(op)
    else:
        # Users call ops of one or two inputs and no attributes as they are.
        public = public and not op.attrs and len(op.inputs) < 3
        call = _written(op, public, method)
        if public:
            call.__wrapped__ = _ONE if len(op.inputs) == 1 else _TWO  # type: ignore[attr-defined]  # what `inspect.signature` follows
    call.__name__ = call.__qualname__ = op.name
    call.__doc__ = op.kernel.__doc__ if not isinstance(op.kernel, np.ufunc) else None
    call.op = op  # type: ignore[attr-defined]  # functions take attributes
    return call


# --- calls that are written ---------------------------------------------------------------------------------


def _written(op: Op, public: bool, method: str) -> Callable[..., Any]:
    """Make a function that gets its code when it is first called."""
    names: dict[str, Any] = {
        "__name__": __name__, "__builtins__": facade.shared, "op": op, "method": method
    }  # fmt: skip
    function = FunctionType((_first_public if public else _first).__code__, names, op.name)
    names["completed"] = partial(_complete, function, names, op, public, method)
    return function


def _has_inner(operands: Sequence[object]) -> bool:
    """Return whether one of some operands is, or holds, a traced value or another that goes the general way
    in any case. No code is compiled for these: that takes 0.6 to 2 ms an op, a tenth of a first call from
    the disk cache.
    """
    for value in operands:
        held = value._value if isinstance(value, TensorBase) else value
        if isinstance(held, InnerValue):
            return True
    return False


def _first_public(*args: object, **named: object) -> Any:
    if has_inner(args[: len(op.inputs)]):  # type: ignore[name-defined]  # noqa: F821  # its globals are an op's
        return public_call(op, args, named, method)  # type: ignore[name-defined]  # noqa: F821  # as above
    return completed()(*args, **named)  # type: ignore[name-defined]  # noqa: F821  # as above


def _first(*args: object, **named: object) -> Any:
    count = len(op.inputs)  # type: ignore[name-defined]  # noqa: F821  # its globals are an op's
    if len(args) >= count and not named and has_inner(args[:count]):  # type: ignore[name-defined]  # noqa: F821  # as above
        return run(op, args[:count], args[count:])  # type: ignore[name-defined]  # noqa: F821  # as above
    return completed()(*args, **named)  # type: ignore[name-defined]  # noqa: F821  # as above


def _complete(
    function: FunctionType, names: dict[str, Any], op: Op, public: bool, method: str
) -> FunctionType:
    """Give a function its code, and that its globals."""
    small = _elementwise_calls(op, public)
    facts = _facts_of(op, public, small is not None)
    if small is not None:
        names.update(compiled=small.compiled, find=small.find)
        if not op.attrs:
            names["small"] = partial(_find_small, function, names, op, public, small)
    names.update(op=op, kernel=op.kernel, method=method, place=op.place, fast=_fast_dtypes(op))
    names["PARALLEL_SIZE"] = op.worth_asking
    if op.derivable:
        names["node_class"] = op.node_class
    function.__defaults__ = (ABSENT,) * len(op.inputs) if public else (None,) * (
        facts.optional and len(op.inputs) - 1
    )
    function.__code__ = _code_of(facts)
    return function


def _elementwise_calls(op: Op, public: bool) -> ElementwiseCalls | None:
    """Return what finds the native functions of an op on small operands; None where there can be none."""
    if op.kind != "elementwise" or len(op.outputs) > 1 or len(op.inputs) > 3 or not large.is_there():
        return None
    if op.signs is not None or _PLACES.get(op.place, "any") == "format":
        return None
    facts = _facts_of(op, public, False)
    if not facts.direct:
        return None
    inputs = len(op.inputs)
    lays_out = inputs == 1 or op.place is placed
    return ElementwiseCalls(op.kernel, inputs, facts.numbers, op.promote, _fast_dtypes(op), lays_out)


def _find_small(
    function: FunctionType, names: dict[str, Any], op: Op, public: bool, small: ElementwiseCalls,
    *operands: object,
) -> Any:
    """Count a call of an op without attributes, and give its function what was found for it."""
    small.find(())
    found = small.compiled.get(())
    if found is refuse:
        function.__code__ = _code_of(_facts_of(op, public, False))
    elif found is not None:
        names["small"] = found
        return found(*operands)
    return None


_codes: dict[Facts, CodeType] = {}


def _code_of(facts: Facts) -> CodeType:
    """Compile the source of a call; tracebacks find its lines."""
    found = _codes.get(facts)
    if found is None:
        source = writing.source_of(facts)
        # Named by what it says, so that other processes find it on disk, whichever ops they call first.
        filename = f"{PACKAGE}core{os.sep}<call {crc32(source.encode()):08x}>"
        namespace: dict[str, Any] = {}
        exec(backend.code_of(source, filename), facade.shared, namespace)
        linecache.cache[filename] = (len(source), None, source.splitlines(True), filename)
        found = _codes[facts] = namespace["call"].__code__
    return found


# What the source of every call may name.
facade.shared.update({
    "ABSENT": ABSENT, "DEFAULT": DEFAULT, "DIFFERENTIABLE": DIFFERENTIABLE, "F32": F32, "F64": F64,
    "FROZEN": FROZEN, "I64": I64, "IGNORE": IGNORE, "INFERENCE": INFERENCE, "InnerValue": InnerValue,
    "LEAF": LEAF, "LEAST": LEAST, "MOST": MOST, "NOTHING": (None, FROZEN, 0), "NO_GRAD": NO_GRAD,
    "Output": Output,
    "accumulator": accumulator, "bring_up_to_date": bring_up_to_date,
    "has_inner": _has_inner,
    "calling_frame": sys._getframe, "doubles": DOUBLES, "float32": float32, "float64": float64, "loud": loud,
    "modes": modes,
    "ndarray": ndarray, "new": _new, "no_versions": NoVersions, "next_sequence": next_sequence,
    "own_file": own_file, "parallel": parallel, "quiet": quiet, "run": run, "settled": settled,
    "singles": SINGLES,
    "unrecorded": unrecorded, "outer_frame": outer_frame, "view_of": View.of, "View": View,
    "NO_GRAD_VIEW": NO_GRAD_VIEW,
})  # fmt: skip


def _facts_of(op: Op, public: bool, small: bool) -> Facts:
    """Return what the source of an op's call depends on."""
    count, layout = len(op.inputs), op.layout
    elementwise = op.kind == "elementwise"
    short = count < 3 and not op.joint and (count == 1 or not op.attrs)
    metadata, fast = layout.metadata_inputs, _fast_dtypes(op)
    floats = {F32, F64} <= fast
    return writing.Facts(
        inputs=("input", "other")[:count] if count < 3 else tuple(f"x{k}" for k in range(count)),
        outputs=len(op.outputs),
        carried=tuple(op.differentiable_outputs),
        attrs=len(op.attrs),
        public=public,
        derivable=op.derivable,
        view=op.is_view,
        elementwise=elementwise,
        ufunc=isinstance(op.kernel, np.ufunc),
        numbers=elementwise and count == 2 and (op.numbers or not public) and 1 not in metadata,
        optional=count > 1 and not elementwise,
        agree=op.promote is not None or op.check is not None,
        direct=bool(fast) and (short or op.check is None or hasattr(op.check, "takes")),
        floats=floats,
        on_arrays=op.kind == "view" or (
            floats and short and not op.attrs and (elementwise or (count == 2 and op.check is None))
        ),
        place=_PLACES.get(op.place, "any"),
        saved=tuple(
            writing.Saved(i if i >= 0 else ~o, _askers(op, name))
            for name, i, o in zip(layout.values, layout.input_index, layout.output_index, strict=True)
        ),
        metadata=metadata,
        small=small,
    )  # fmt: skip


#: The strides of an image of one place may say C order and channels last at once.
_PLACES: dict[Any, str] = {
    None: "", placed: "first", following_channels: "format", following_planes: "format"
}  # fmt: skip


def _askers(op: Op, name: str) -> tuple[int, ...]:
    """Return the inputs whose rules ask for a value; none where it is saved in any case."""
    asking = tuple(k for k, names in enumerate(op.layout.wanted) if name in names)
    always = op.joint or name in op.layout.kept or len(asking) == len(op.inputs)
    return () if always else asking


def runs_at_once(op: Op, arrays: Sequence[ndarray]) -> bool:
    """Return whether a kernel takes arrays as `evaluate` would give them, and its layout stays."""
    facts = _facts_of(op, False, False) if not op.variadic else None
    if op.variadic:
        fast = _fast_dtypes(op) & ({F32, F64} if op.halves else set(dtypes.BY_NUMPY))
        direct = op.check is None and op.promote in (None, "same")
    else:
        assert facts is not None
        fast, direct = _fast_dtypes(op), facts.direct and facts.place != "format"
    if not direct or op.signs is not None or any(a.dtype not in fast for a in arrays):
        return False
    alike = all(a.dtype is arrays[0].dtype for a in arrays)
    return (alike or (facts is not None and not facts.agree)) and (
        op.place is None or all(a.flags.c_contiguous for a in arrays)
    )


#: The dtypes in which an op that computes halves in float32 computes nothing.
_NARROW = frozenset({dtypes.float16.numpy, dtypes.bfloat16.numpy, dtypes.COMPLEX32, *dtypes.FLOAT8_NUMPY})


def _fast_dtypes(op: Op) -> frozenset[np.dtype[Any]]:
    """Return the dtypes that the kernel takes as `evaluate` would give them to it."""
    if op.check is None:
        found = set(dtypes.BY_NUMPY)
    elif (takes := getattr(op.check, "takes", None)) is not None:
        found = set(filter(takes, dtypes.BY_NUMPY))
    else:
        found = {F32, F64}
    if op.promote == "float":
        found = {dtype for dtype in found if dtype.kind in "fc"}
    return frozenset(found - op.refused - (_NARROW if op.halves else frozenset()))


# --- calls of any number of inputs or outputs ---------------------------------------------------------------


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
        common = mode is DEFAULT or mode is NO_GRAD or mode is INFERENCE
        if not inline or not tensors or not common:
            return run(op, tuple(tensors), attrs)
        dtype = None
        recorded = False
        arrays = []
        edges = []
        for v in tensors:
            t = type(v)
            if t is not facade.Tensor and t is not facade.Parameter:
                return run(op, tuple(tensors), attrs)
            a = v._value
            if type(a) is not ndarray or (a.dtype is not dtype and dtype is not None):
                return run(op, tuple(tensors), attrs)
            dtype = a.dtype
            if v._view is not None and mode is not INFERENCE:
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
        y = _new(facade.Tensor)
        y._value = r = kernel(tuple(arrays), *attrs)
        y._counter = [0] if mode is not INFERENCE else NoVersions()
        y._view = None
        if not recorded or mode is not DEFAULT or not derivable or dtype not in DIFFERENTIABLE:
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
    """Return a view op with any number of outputs (unbind, split)."""
    kernel = op.kernel
    derivable = op.derivable
    node_class: type[Node] | None = None
    saves_shape = bool(op.layout.metadata)

    def call(input: Any, *attrs: Any) -> Any:
        nonlocal node_class
        t = type(input)
        if t is not facade.Tensor and t is not facade.Parameter:
            return op.evaluate((input,), attrs) if t is ndarray else run(op, (input,), attrs)
        a = input._value
        mode = modes()
        common = mode is DEFAULT or mode is NO_GRAD or mode is INFERENCE
        if type(a) is not ndarray or not common:
            return run(op, (input,), attrs)
        if input._view is not None and derivable and mode is not INFERENCE:
            bring_up_to_date(input)
        outs = []
        cls, counter = facade.Tensor, input._counter
        for k, r in enumerate(kernel(a if a.size else settled(a), *attrs)):
            y = _new(cls)
            y._value = r
            y._node = None
            y._counter = counter
            y._view = View.of(input, op, attrs, k, mode)
            outs.append(y)
        node = input._node
        if node is None or mode is not DEFAULT or not outs or not derivable:
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

    def call(*args: object) -> Any:
        return run(op, args[:count], args[count:])

    return call
