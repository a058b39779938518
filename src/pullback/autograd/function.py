"""Define custom differentiable functions: `Function`, its context, `once_differentiable`.

The context that `forward` receives is the node of the graph, as in torch: one class per Function, named
`<Name>Backward`. A call runs `forward` without recording, makes the node, and puts it behind the outputs.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from typing import Any, TypeVar, cast

import numpy as np

from ..core import inplace
from ..core.blame import is_freed, next_sequence, stamp
from ..core.calls import edge_of
from ..core.general_call import node_watchers
from ..core.hooked import as_tensor
from ..core.levels import META
from ..core.modes import change, modes, set_modes
from ..core.node import DIFFERENTIABLE, AccumulateGrad, MultiNode, Output
from ..core.saved import FROZEN, Packed, pack, saved_errors, unpack_hooked
from ..core.tracer import Tracer, seen
from ..core.value import dtype_of, shape_of, wrap, wrap_alias
from ..core.versions import bump, is_stale
from ..core.views import FUNCTION_VIEW, MULTI_VIEW, View
from ..core.warn import warn
from ..errors import type_name, with_note
from ..tensor.tensor import Tensor
from .grad_mode import no_grad

F = TypeVar("F", bound=Callable[..., Any])


class FunctionCtx:
    """Carry what `forward` keeps for `backward`."""

    def save_for_backward(self, *tensors: Tensor | None) -> None:
        """Save tensors (inputs, outputs or others, or None) for `backward`; writes to them are noticed."""
        self.to_save = tensors

    def save_for_forward(self, *tensors: Tensor | None) -> None:
        """Save tensors for `jvp`."""
        for t in tensors:
            if not (isinstance(t, Tensor) or t is None):
                raise AssertionError(
                    "save_for_forward expects all arguments to be tensors; you should save non-tensors as "
                    "attributes on ctx."
                )
        self.saved_for_forward = tensors

    def mark_dirty(self, *args: Tensor) -> None:
        """Declare inputs that `forward` wrote to; each must also be returned."""
        self.dirty_tensors = args

    def mark_non_differentiable(self, *args: Tensor) -> None:
        """Declare outputs that carry no gradient."""
        self.non_differentiable = args

    def set_materialize_grads(self, value: bool) -> None:
        """Say whether `backward` gets zeros (True, as by default) or None for outputs that were not used."""
        self.materialize_grads = value


_DEFAULTS: dict[str, Any] = {
    "to_save": (), "saved_for_forward": None, "dirty_tensors": (), "non_differentiable": (),
    "materialize_grads": True, "_recording": True, "_below": 0,
}  # fmt: skip


class BackwardCFunction(MultiNode, FunctionCtx):
    """Node and context of one call of a Function."""

    __slots__ = ("__dict__", "__weakref__")

    _forward_cls: type[Function]
    _below: int
    _variable: tuple[bool, ...]
    needs_input_grad: tuple[bool, ...]

    def __getattr__(self, name: str) -> Any:
        if name in _DEFAULTS:
            return _DEFAULTS[name]
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'", name=name, obj=self)

    @property
    def _frees(self) -> bool:  # type: ignore[override]  # depends on what the call saved
        return bool(self._saved)

    @property
    def saved_tensors(self) -> tuple[Any, ...]:
        """Return the tensors given to `save_for_backward`, each at its place in the graph."""
        if is_freed(self._saved):
            raise saved_errors.freed(self)
        if not self._saved:
            return tuple(self.to_save)
        return tuple(self._unpacked(*entry) for entry in self._saved)

    saved_variables = saved_tensors

    def _unpacked(
        self, value: Any, counter: list[int], number: int, edge: Any, original: Any, level: int
    ) -> Any:
        if value is None:
            return None
        if is_stale(counter, number):
            error = saved_errors.damaged(self, value, counter, number, edge)
            raise saved_errors.blamed(error, self, counter, number)
        if type(value) is Packed:
            value = unpack_hooked(value)
        if level and not self._recording and type(value) is not Tracer:
            return as_tensor(value)
        if isinstance(edge, AccumulateGrad):
            return edge.variable
        return wrap(value, edge, level) if original is None else original

    def _save(self, outputs: Sequence[Any]) -> None:
        entries = []
        for position, t in enumerate(self.to_save):
            if t is None:
                entries.append((None, FROZEN, 0, None, None, 0))
                continue
            if not isinstance(t, Tensor):
                raise TypeError(
                    f"save_for_backward can only save variables, but argument {position} is of type "
                    f"{type(t).__name__}"
                )
            index = next((k for k, o in enumerate(outputs) if o is t), None)
            edge = Output(self, index) if index is not None and t._node is not None else edge_of(t)
            hooks = modes().saved_hooks
            if hooks:
                own = edge if index is not None else None
                packed = pack(t, t._value, hooks[-1], own, index is None)
                entries.append((packed, FROZEN, 0, edge, None, t._level))  # type: ignore[arg-type]  # NumPy's stubs are narrower than NumPy
            else:
                plain = t if edge is None else None
                entries.append((t._value, t._counter, t._counter[0], edge, plain, t._level))  # type: ignore[arg-type]  # NumPy's stubs are narrower than NumPy
        self._saved = tuple(entries)
        self.to_save = ()

    def derivable_inputs(self) -> Sequence[int]:
        """Return the edges of the arguments that are tensors: torch has no others."""
        return [i for i, is_tensor in enumerate(self._variable) if is_tensor]

    # --- pulling back ---------------------------------------------------------------------------------------

    def backward(self, g: Any) -> tuple[Any, ...]:
        self._recording = False
        try:
            grads = self.backward_graph(g)
        finally:
            self._recording = True
        if self._below or not all(map(_is_bare, grads)):
            return grads
        return tuple(v._value if isinstance(v, Tensor) else v for v in grads)

    def backward_graph(self, g: Any) -> tuple[Any, ...]:
        covectors = tuple(
            (self._zeros(k) if self.materialize_grads else None) if v is None else as_tensor(v) for k,
            v in enumerate(g)
        )
        result = self.apply(*covectors)
        return self._checked(result)

    def _zeros(self, k: int) -> Any:
        return None if self._shape[k] is None else wrap(np.zeros(self._shape[k], self._dtype[k]))

    def apply(self, *covectors: Any) -> Any:
        """Call the Function's `backward` (or `vjp`)."""
        cls = self._forward_cls
        backward, vjp = cls.backward, cls.vjp
        if backward is not Function.backward and vjp is not Function.vjp:
            raise RuntimeError(
                "Implementing both 'backward' and 'vjp' for a custom Function is not allowed. You should "
                "only implement one of them."
            )
        return seen(vjp if vjp is not Function.vjp else backward)(self, *covectors)

    def _checked(self, result: Any) -> tuple[Any, ...]:
        grads = tuple(result) if isinstance(result, (tuple, list)) else (result,)
        name = type(self).__name__
        expected = len(self._edges)
        if len(grads) > expected and all(v is None for v in grads[expected:]):
            grads = grads[:expected]
        if len(grads) != expected:
            raise RuntimeError(
                f"function {name} returned an incorrect number of gradients (expected {expected}, got "
                f"{len(grads)})"
            )
        for index, (v, edge) in enumerate(zip(grads, self._edges, strict=True)):
            if v is not None and not isinstance(v, Tensor):
                raise RuntimeError(f"expected Variable or None (got {type_name(v)})")
            if v is not None and not self._variable[index]:
                raise RuntimeError(
                    f"function {name} returned a gradient different than None at position {index + 1}, but "
                    "the corresponding forward input was not a Variable"
                )
            if v is not None and edge is not None:
                node, k = edge if isinstance(edge, Output) else (edge, 0)
                want = node._shape[k] if isinstance(node, MultiNode) else node._shape
                if not _expands(want, shape_of(v)):
                    raise RuntimeError(
                        f"Function {name} returned an invalid gradient at index "
                        f"{sum(self._variable[:index])} - got {list(shape_of(v))} but expected shape "
                        f"compatible with {list(want)}"
                    )
        return grads


def _is_bare(v: Any) -> bool:
    """Return whether a covector is an array or a traced value alone. As a tensor the latter would be seen as
    a view of what it was made of, which no trace takes for a leaf's gradient.
    """
    return not isinstance(v, Tensor) or v._level <= META or (v._node is None and type(v._value) is Tracer)


def _expands(small: tuple[int, ...], large: tuple[int, ...]) -> bool:
    lead = len(large) - len(small)
    return lead >= 0 and all(s in (1, n) for s, n in zip(small, large[lead:], strict=True))


class FunctionMeta(type):
    """Give each Function its class of nodes."""

    def __init__(cls, name: str, bases: tuple[type, ...], attributes: dict[str, Any]) -> None:
        namespace = {"_forward_cls": cls, "__module__": "torch.autograd.function", "__slots__": ()}
        cls._backward_cls = cast(
            "type[BackwardCFunction]", type(name + "Backward", (BackwardCFunction,), namespace)
        )
        super().__init__(name, bases, attributes)


class Function(metaclass=FunctionMeta):
    """Base of custom functions: give `forward` (and `setup_context`), `backward` or `vjp`, `jvp`, `vmap`."""

    generate_vmap_rule = False
    _backward_cls: type[Function]

    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        warn(
            f"{cls} should not be instantiated. Methods on autograd functions are all static, so you should "
            "invoke them on the class itself. Instantiating an autograd function will raise an error in a "
            "future version of PyTorch.", DeprecationWarning
        )
        return super().__new__(cls)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        raise RuntimeError(
            "Legacy autograd function with non-static forward method is deprecated. Please use new-style "
            "autograd function with static forward method. (Example: "
            "https://pytorch.org/docs/stable/autograd.html#torch.autograd.Function)"
        )

    @staticmethod
    def forward(*args: Any, **kwargs: Any) -> Any:
        """Compute the outputs: ``forward(ctx, *inputs)``, or ``forward(*inputs)`` with `setup_context`."""
        raise NotImplementedError("You must implement the forward function for custom autograd.Function.")

    @staticmethod
    def setup_context(ctx: FunctionCtx, inputs: tuple[Any, ...], output: Any) -> Any:
        """Save what `backward` needs, where `forward` takes no context."""
        raise NotImplementedError("setup_context is not implemented.")

    @staticmethod
    def backward(ctx: FunctionCtx, *grad_outputs: Any) -> Any:
        """Return covectors of the inputs from those of the outputs."""
        raise NotImplementedError(
            "You must implement either the backward or vjp method for your custom autograd.Function to use "
            "it with backward mode AD."
        )

    vjp = staticmethod(backward.__func__)  # type: ignore[attr-defined]  # a distinct staticmethod over the same function

    @staticmethod
    def jvp(ctx: FunctionCtx, *grad_inputs: Any) -> Any:
        """Return tangents of the outputs from those of the inputs."""
        raise NotImplementedError(
            "You must implement the jvp function for custom autograd.Function to use it with forward mode AD."
        )

    @staticmethod
    def vmap(info: Any, in_dims: Any, *args: Any) -> Any:
        """Return ``(outputs, out_dims)`` for inputs with a batch axis."""
        raise NotImplementedError(
            "To use autograd.Function with vmap, you must either override the vmap static method or set "
            "generate_vmap_rule=True."
        )

    @classmethod
    def apply(cls, *args: Any, **kwargs: Any) -> Any:
        """Call the function."""
        if has_setup_context(cls):
            args, kwargs = _bound(cls.forward, args, kwargs)
        if any(isinstance(a, Tensor) and a._level > META for a in args):
            from .function_levels import apply_at_level

            return apply_at_level(cls, args)
        return apply_plain(cls, args, kwargs)


def _bound(
    function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Return the arguments with the defaults of `forward`: `setup_context` gets all of them."""
    bound = _signature(function).bind(*args, **kwargs)
    bound.apply_defaults()
    return bound.args, bound.kwargs


@functools.lru_cache(maxsize=256)
def _signature(function: Callable[..., Any]) -> inspect.Signature:
    return inspect.signature(function)


def has_setup_context(cls: type[Function]) -> bool:
    """Return whether a Function separates `setup_context` from `forward`."""
    return cls.setup_context is not Function.setup_context


def new_context(cls: type[Function], args: Sequence[Any], edges: Sequence[Any]) -> BackwardCFunction:
    """Return an unfinished node for a call."""
    node = cls._backward_cls.__new__(cls._backward_cls)
    node._edges = tuple(edges)
    node._saved = ()
    stamp(node)
    # As in torch, also where nothing is recorded.
    recording = modes().grad
    node.needs_input_grad = tuple(
        e is not None or (not recording and isinstance(a, Tensor) and a.requires_grad)
        for a, e in zip(args, edges, strict=True)
    )
    node._variable = tuple(isinstance(a, Tensor) for a in args)
    return node


def run_forward(
    cls: type[Function], node: BackwardCFunction, args: Sequence[Any], kwargs: dict[str, Any]
) -> Any:
    """Run `forward` (and `setup_context`) without recording."""
    before = change(grad=False)
    try:
        if has_setup_context(cls):
            output = seen(cls.forward)(*args, **kwargs)
            seen(cls.setup_context)(node, tuple(args), output)
            return output
        return seen(cls.forward)(node, *args, **kwargs)
    finally:
        set_modes(modes()._replace(grad=before.grad))


def apply_plain(cls: type[Function], args: Sequence[Any], kwargs: dict[str, Any], level: int = 0) -> Any:
    """Apply a Function to tensors around arrays, or around what a trace writes down."""
    recording = modes().grad
    edges = [
        edge_of(a)
        if recording and isinstance(a, Tensor) and (a._level == level or (not level and a._level <= META))
        else None
        for a in args
    ]
    node = new_context(cls, args, edges)
    output = run_forward(cls, node, args, kwargs)
    return attach_outputs(node, args, output, any(e is not None for e in edges))


def attach_outputs(node: BackwardCFunction, args: Sequence[Any], output: Any, recorded: bool) -> Any:
    """Put the node behind what `forward` returned."""
    several = isinstance(output, tuple)
    outputs = list(output) if several else [output]
    dirty = node.dirty_tensors
    fixed = {id(t) for t in node.non_differentiable}
    inputs = {id(a) for a in args if isinstance(a, Tensor)}
    _check_dirty(dirty, inputs, outputs)
    derived = [o for o in outputs if isinstance(o, Tensor) and dtype_of(o) in DIFFERENTIABLE]
    creation = MULTI_VIEW if sum(id(o) not in fixed for o in derived) > 1 else FUNCTION_VIEW
    for k, o in enumerate(outputs):
        if not isinstance(o, Tensor):
            continue
        if any(o is t for t in dirty):
            differentiable = recorded and dtype_of(o) in DIFFERENTIABLE and id(o) not in fixed
            outputs[k] = _written(o, len(outputs), differentiable)
        elif id(o) in inputs:
            base = o if o._view is None else o._view.base
            steps = () if o._view is None else o._view.steps
            alias = wrap_alias(o._value, o)
            if not o._inference and id(o) not in fixed:
                alias._view = View(base, steps, creation, o._counter[0])
            outputs[k] = alias
        elif o._view is not None and recorded:
            o._view.creation = creation
    node._shape = tuple(shape_of(o) if isinstance(o, Tensor) else None for o in outputs)
    node._dtype = tuple(dtype_of(o) if isinstance(o, Tensor) else None for o in outputs)
    if recorded:
        node._seq = next_sequence()
        for k, (o, original) in enumerate(zip(outputs, output if several else [output], strict=True)):
            if not isinstance(o, Tensor) or dtype_of(o) not in DIFFERENTIABLE or id(original) in fixed:
                continue
            if any(o is t for t in dirty):
                inplace.record_write(o, Output(node, k))
            else:
                o._node = Output(node, k)
        node._save(outputs)
        for created in node_watchers:
            created(node)
    return tuple(outputs) if several else outputs[0]


def _written(o: Tensor, count: int, differentiable: bool) -> Tensor:
    """Return what stands for an input that `forward` wrote to: itself, or, where it requires grad and the
    result does not, a detached alias. `count` is the number of outputs.
    """
    if differentiable and o._view is not None and count > 1:
        raise RuntimeError(
            "If your Function modifies inplace an input that is a view of another Tensor, your Function "
            "cannot return more than one Tensor. This is not supported by the current autograd engine. You "
            "should either make sure the input is not a view (using .clone() for example) or make your "
            "Function only return one Tensor (potentially splitting it into two Functions: one doing the "
            "inplace that returns a single Tensor and a second one that does the other operations). You can "
            "ask on the forum https://discuss.pytorch.org/ if you need help to do this change."
        )
    if differentiable and not o._is_leaf():
        inplace.check_history(o, True)
    bump(o)
    if differentiable and o._is_leaf() and inplace.requires_grad(o):
        raise with_note(
            RuntimeError("a leaf Variable that requires grad has been used in an in-place operation."),
            "The Function marks an input dirty that is a leaf: give it a clone.",
        )
    return o if differentiable or not inplace.requires_grad(o) else wrap_alias(o._value, o)


def _check_dirty(dirty: Sequence[Any], inputs: set[int], outputs: Sequence[Any]) -> None:
    """Check that what `forward` says it has written to was given to it and is returned."""
    for t in dirty:
        if id(t) not in inputs:
            warn("ctx.mark_dirty() received a tensor that was not an input. Only input Tensors that have "
                 "been mutated should be passed to ctx.mark_dirty().")
        if not any(o is t for o in outputs):
            raise RuntimeError(
                "Some elements marked as dirty during the forward method were not returned as output. The "
                "inputs that are modified inplace must all be outputs of the Function."
            )


class _OnceDifferentiated(MultiNode):
    """Refuse a second derivative behind the results of a once-differentiable backward."""

    __slots__ = ()

    def backward(self, g: Any) -> tuple[Any, ...]:
        raise RuntimeError(
            "trying to differentiate twice a function that was marked with @once_differentiable"
        )

    backward_graph = backward


def _refusing_second(outputs: Any, covectors: Sequence[Any]) -> Any:
    """Return what a backward has returned, with a node behind it that refuses a second derivative."""
    if not modes().grad or not any(isinstance(g, Tensor) and g.requires_grad for g in covectors):
        return outputs
    values = list(outputs) if isinstance(outputs, tuple) else [outputs]
    node = _OnceDifferentiated()
    node._edges = tuple(edge_of(g) if isinstance(g, Tensor) else None for g in covectors)
    node._saved = ()
    stamp(node)
    node._shape = tuple(shape_of(v) if v is not None else None for v in values)
    node._dtype = tuple(dtype_of(v) if v is not None else None for v in values)
    wrapped = [None if v is None else wrap(v._value, Output(node, k)) for k, v in enumerate(values)]
    return tuple(wrapped) if isinstance(outputs, tuple) else wrapped[0]


def once_differentiable(function: F) -> F:
    """Decorate a `backward` without derivative: it runs unrecorded; second derivatives are refused."""

    @functools.wraps(function)
    def wrapper(ctx: FunctionCtx, *args: Any) -> Any:
        with no_grad():
            outputs = function(ctx, *args)
        return _refusing_second(outputs, args)

    return cast("F", wrapper)


class InplaceFunction(Function):
    """Kept for old programs: a Function with an `inplace` flag."""

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace


NestedIOFunction = Function

for _class in (Function, FunctionCtx, BackwardCFunction, InplaceFunction, FunctionMeta):
    _class.__module__ = "torch.autograd.function"
del _class

__all__ = ["Function", "FunctionCtx", "InplaceFunction", "once_differentiable"]
