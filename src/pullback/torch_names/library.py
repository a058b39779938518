"""torch.library: ops of a program's own, called as `torch.ops.<namespace>.<name>`.

An op has one kernel (there is one device), and the derivative that `register_autograd` gives it; without one,
pulling back through it raises torch's error. What torch's compiler asks of ops, such as `register_fake`, is
kept and not called.
"""

from __future__ import annotations

import importlib.util
import inspect
import re
import sys
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from .. import ops
from ..autograd.function import Function
from ..core.meta import is_meta
from ..core.modes import modes
from ..core.value import TensorBase
from ..core.versions import bump
from ..errors import with_note
from ..tensor.builtin import behind
from ..tensor.tensor import Tensor
from ..tensor.tree import tree_flatten, tree_unflatten
from ._aten.inferred_schema import _parameters, infer_schema
from ._aten.overload import OpOverload, OpOverloadPacket
from ._aten.schema import FunctionSchema


class CustomOpDef:
    """An op of a program's own.

    Parameters
    ----------
    namespace, name : str
    schema : str
        Its parameters and results, without the name.
    kernel : callable, optional
        What computes it.
    """

    def __init__(
        self, namespace: str, name: str, schema: str, kernel: Callable[..., Any] | None = None,
        signature: inspect.Signature | None = None,
    ) -> None:
        self._namespace = namespace
        self._name = name
        self._schema = schema
        self._qualname = f"{namespace}::{name}"
        self._signature = signature or _parameters(schema)
        self._kernel = kernel
        self._composite = False
        self._backward: Callable[..., Any] | None = None
        self._setup: Callable[..., Any] | None = None
        self._fake: Callable[..., Any] | None = None
        self._vmap: Callable[..., Any] | None = None
        self._function = _differentiable(self)
        # As C++ writes numbers.
        self._checked = FunctionSchema(name + re.sub(r"(=-?\d+\.)0\b", r"\1", schema), namespace)
        self._packet = _Packet(self)
        self.__name__ = name

    def __repr__(self) -> str:
        return f"<CustomOpDef({self._qualname})>"

    @property
    def _opoverload(self) -> OpOverload:
        """Return the op's only overload."""
        return self._packet.default

    def _run(self, inputs: Sequence[Any], named: dict[str, Any]) -> Any:
        if any(is_meta(v) for v in tree_flatten((tuple(inputs), named))[0] if isinstance(v, TensorBase)):
            if self._fake is None:
                called = getattr(self._kernel, "__name__", self._name)
                raise RuntimeError(
                    f"There was no fake impl registered for {self}. This is necessary for torch.compile/"
                    f"export/fx tracing to work. Please use `{called}.register_fake` to add an fake impl."
                )
            return self._fake(*inputs, **named)
        if self._kernel is None:
            raise NotImplementedError(
                f"There was no kernel registered for {self._qualname}; use torch.library.impl to give it one"
            )
        result = self._kernel(*inputs, **named)
        given = {id(v) for v in tree_flatten((tuple(inputs), named))[0] if isinstance(v, TensorBase)}
        if any(id(v) in given for v in tree_flatten(result)[0]):
            raise RuntimeError(
                f"{self._name}: The output of this custom operator (1) must not also be an input to this "
                "custom operator and (2) may not alias any inputs to this custom operator or other returns."
            )
        return result

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        values = self._checked.bound(args, kwargs)
        try:
            return self._called(args, kwargs)
        finally:
            for argument in self._checked.arguments:
                if argument.is_written:
                    for tensor in tree_flatten(values[argument.name])[0]:
                        if isinstance(tensor, TensorBase):
                            bump(tensor)

    def _called(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        bound = self._signature.bind(*args, **kwargs)
        bound.apply_defaults()
        if self._composite and self._kernel is not None:
            return self._kernel(*bound.args, **bound.kwargs)
        leaves, spec = tree_flatten((bound.args, bound.kwargs))
        tracked = modes().grad and any(isinstance(v, Tensor) and v.requires_grad for v in leaves)
        if tracked and "!" not in self._schema:
            return self._function.apply(spec, *leaves)
        return self._run(bound.args, bound.kwargs)

    def register_kernel(self, device_types: Any, func: Callable[..., Any] | None = None, /) -> Any:
        """Give the op another kernel where the devices named hold the CPU, or are None for all."""

        def register(function: Callable[..., Any]) -> Callable[..., Any]:
            named = [device_types] if isinstance(device_types, str) else device_types
            if named is None or "cpu" in named:
                self._kernel = function
            return function

        return register if func is None else register(func)

    def register_fake(self, fn: Callable[..., Any], /) -> Callable[..., Any]:
        """Keep what tells the shape of the result; it is not called."""
        self._fake = fn
        return fn

    def register_vmap(self, func: Callable[..., Any] | None = None) -> Any:
        """Keep a batching rule; a batched call runs the op one item at a time."""

        def register(function: Callable[..., Any]) -> Callable[..., Any]:
            self._vmap = function
            return function

        return register if func is None else register(func)

    def register_autograd(
        self, backward: Callable[..., Any], /, *, setup_context: Callable[..., Any] | None = None
    ) -> None:
        """Give the op a derivative.

        Parameters
        ----------
        backward : callable
            ``backward(ctx, *grads)`` returns one gradient, or None, for each input.
        setup_context : callable, optional
            ``setup_context(ctx, inputs, output)`` keeps what that needs.
        """
        self._backward, self._setup = backward, setup_context


def _differentiable(op: CustomOpDef) -> Any:
    """Return the Function that pulls back through an op; its inputs are the leaves of the op's."""

    def forward(ctx: Any, spec: Any, *leaves: Any) -> Any:
        inputs, named = tree_unflatten(list(leaves), spec)
        ctx._spec = spec
        output = op._run(inputs, named)
        if op._setup is not None:
            extra = {"keyword_only_inputs": named} if named else {}
            op._setup(ctx=ctx, inputs=tuple(inputs), output=output, **extra)
        return output

    def backward(ctx: Any, *grads: Any) -> Any:
        if op._backward is None:
            raise RuntimeError(
                f"Trying to backward through {op._namespace}.{op._name}.default but no autograd formula was "
                "registered. Please use register_autograd to add one."
            )
        found = op._backward(ctx, *grads)
        found = found if isinstance(found, tuple) else (found,)
        flat: list[Any] = []
        for grad, below in zip(found, ctx._spec.child(0).children()):
            if below.is_leaf():
                flat.append(grad)
            else:
                flat += [None] * below.num_leaves if grad is None else list(tree_flatten(grad)[0])
        return (None, *flat, *[None] * ctx._spec.child(1).num_leaves)

    name = f"GeneratedBackwardFor_{op._namespace}_{op._name}_default"
    return type(name, (Function,), {"forward": staticmethod(forward), "backward": staticmethod(backward)})


class _Packet(OpOverloadPacket):
    """Hold what `torch.ops.<namespace>` has of an op."""

    def __init__(self, op: CustomOpDef) -> None:
        super().__init__(op._name, op._namespace)
        self._custom = op

    def __getattr__(self, name: str) -> Any:
        if name == "default":
            self.__dict__[name] = made = _Overload(self, name)
            return made
        return super().__getattr__(name)

    def overloads(self) -> list[str]:
        """Return the name of its only overload."""
        return ["default"]

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        return self._custom(*args, **kwargs)


class _Overload(OpOverload):
    """The overload of an op of a program's own."""

    @property
    def _schema(self) -> FunctionSchema:
        return self._overloadpacket._custom._checked

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        return self._overloadpacket(*args, **kwargs)


_Packet.__name__ = _Packet.__qualname__ = "OpOverloadPacket"
_Overload.__name__ = _Overload.__qualname__ = "OpOverload"

_OPS: dict[str, CustomOpDef] = {}


def _publish(op: CustomOpDef) -> CustomOpDef:
    """Make an op `torch.ops.<namespace>.<name>`."""
    space = op._namespace
    if not isinstance((held := vars(ops).get(space)), ops.Namespace):
        if held is not None or importlib.util.find_spec(f"{ops.__name__}.{space}") is not None:
            raise ValueError(f"the namespace {space!r} is pullback's own; choose another for your ops")
        held = ops.Namespace(f"torch.ops.{space}")
        setattr(ops, space, held)
    setattr(held, op._name, op._packet)
    _OPS[op._qualname] = op
    return op


def _split(qualname: str) -> tuple[str, str]:
    if len(parts := qualname.split("::")) != 2:
        raise ValueError(
            f"Expected `qualname` to be of the form 'namespace::name'. Got {qualname!r}. Please make sure "
            "that it has exactly one '::'."
        )
    return parts[0], parts[1].removesuffix(".default")


def _found(op: Any) -> CustomOpDef:
    if isinstance(op, CustomOpDef):
        return op
    if isinstance(op, _Packet):
        return op._custom
    if isinstance(op, _Overload):
        return op._overloadpacket._custom
    if (name := "::".join(_split(op))) not in _OPS:
        raise with_note(
            RuntimeError(f"operator {name} does not exist"), "Define it with torch.library.define."
        )
    return _OPS[name]


def custom_op(
    name: str, fn: Callable[..., Any] | None = None, /, *, mutates_args: str | Iterable[str],
    device_types: Any = None, schema: str | None = None, tags: Any = None,
) -> Any:
    """Make an op of a function.

    Parameters
    ----------
    name : str
        ``"namespace::name"``.
    fn : callable, optional
        Without it, the result decorates. Its annotations give the schema.
    mutates_args : iterable of str
        The names of the arguments that it writes to.
    device_types : str or sequence of str, optional
        The devices that the function is for.
    schema : str, optional
        In place of annotations, without the name.

    Returns
    -------
    CustomOpDef
    """

    def make(function: Callable[..., Any]) -> CustomOpDef:
        told = infer_schema(function, mutates_args=mutates_args) if schema is None else schema
        kernel = function if device_types is None or "cpu" in device_types else None
        return _publish(CustomOpDef(*_split(name), told, kernel, inspect.signature(behind(function))))

    return make if fn is None else make(fn)


def define(qualname: Any, schema: str, *, lib: Any = None, tags: Any = ()) -> None:
    """Make an op of a schema; `impl` gives it a kernel."""
    _publish(CustomOpDef(*_split(qualname), schema))


def impl(qualname: str, types: Any, func: Callable[..., Any] | None = None, *, lib: Any = None) -> Any:
    """Give an op a kernel for devices or keys of torch's dispatcher, of which the CPU's count."""

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        keys = [types] if isinstance(types, str) else types
        for key in keys:
            _implement(_found(qualname), function, key)
        return function

    return register if func is None else register(func)


def _implement(op: CustomOpDef, function: Callable[..., Any], key: str) -> None:
    if key.lower() in ("cpu", "default", "", "compositeexplicitautograd"):
        op._kernel = function
    elif key.lower() in ("compositeimplicitautograd", "autograd", "autogradcpu"):
        op._kernel, op._composite = function, True


def register_kernel(op: Any, device_types: Any, func: Any = None, /, *, lib: Any = None) -> Any:
    """See `CustomOpDef.register_kernel`."""
    return _found(op).register_kernel(device_types, func)


def register_fake(op: Any, func: Any = None, /, *, lib: Any = None, **_: Any) -> Any:
    """See `CustomOpDef.register_fake`."""
    if isinstance(op, str) and not any(name.startswith(f"{_split(op)[0]}::") for name in _OPS):
        # An op of a compiled extension, which cannot be loaded here: nobody asks for its shapes.
        return (lambda function: function) if func is None else func
    return _found(op).register_fake if func is None else _found(op).register_fake(func)


def register_vmap(op: Any, func: Any = None, /, *, lib: Any = None) -> Any:
    """See `CustomOpDef.register_vmap`."""
    return _found(op).register_vmap(func)


def register_autograd(
    op: Any, backward: Callable[..., Any], /, *, setup_context: Callable[..., Any] | None = None,
    lib: Any = None,
) -> None:
    """See `CustomOpDef.register_autograd`."""
    _found(op).register_autograd(backward, setup_context=setup_context)


impl_abstract = register_fake

#: Where the libraries were made that define an op.
_LINES: dict[str, str] = {}


class Library:
    """The ops of a namespace.

    Parameters
    ----------
    ns : str
    kind : str
        ``"DEF"``, ``"FRAGMENT"`` or ``"IMPL"``.
    dispatch_key : str
        For kernels that name none.
    """

    def __init__(self, ns: str, kind: str, dispatch_key: str = "") -> None:
        if kind not in ("IMPL", "DEF", "FRAGMENT"):
            raise ValueError("Unsupported kind: " + kind)
        if ns == "prim":
            raise ValueError("prim is a reserved namespace. Please try creating a library with another name.")
        self.ns = ns
        self.kind = kind
        self.dispatch_key = dispatch_key
        frame = sys._getframe(1)
        self._line = f"registered at {frame.f_code.co_filename}:{frame.f_lineno}"

    def __repr__(self) -> str:
        return f"Library(kind={self.kind}, ns={self.ns}, dispatch_key={self.dispatch_key})>"

    def define(self, schema: str, alias_analysis: str = "", *, tags: Any = ()) -> str:
        """Make an op of a schema that begins with its name, and return the name."""
        name = schema[: schema.index("(")].strip()
        if f"{self.ns}::{name}" in _OPS:
            raise RuntimeError(
                f"Tried to register an operator ({self.ns}::{schema}) with the same name and overload name "
                "multiple times. Each overload's schema should only be registered with a single call to "
                f"def(). Duplicate registration: {self._line}. Original registration: "
                f"{_LINES.get(f'{self.ns}::{name}', self._line)}"
            )
        _LINES[f"{self.ns}::{name}"] = self._line
        define(f"{self.ns}::{name}", schema[schema.index("(") :])
        return name

    def impl(
        self, op_name: Any, fn: Callable[..., Any], dispatch_key: str = "", *, with_keyset: bool = False,
        allow_override: bool = False,
    ) -> None:
        """Give an op a kernel."""
        name = f"{self.ns}::{op_name.split('::')[-1]}" if isinstance(op_name, str) else op_name
        _implement(_found(name), fn, dispatch_key or self.dispatch_key)


__all__ = [
    "CustomOpDef", "Library", "custom_op", "define", "impl", "impl_abstract", "infer_schema",
    "register_autograd", "register_fake", "register_kernel", "register_vmap",
]  # fmt: skip
