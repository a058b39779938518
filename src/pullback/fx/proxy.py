"""Stand-ins for values while a program is traced: whatever is done with one becomes a node."""

from __future__ import annotations

import dis
import enum
import operator
import sys
from collections import OrderedDict
from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING, Any, NoReturn

from ..array.dtypes import dtype
from ..core.device import device
from ..core.size import Size
from ..tensor.constants import layout, memory_format
from ..tensor.interception import OVERRIDING
from ..tensor.tensor import Tensor
from .codegen import OPERATORS, REFLECTABLE
from .node import Node, map_aggregate
from .targets import as_torch_passes, tensor_method, torch_path

if TYPE_CHECKING:
    from .graph import Graph

#: What an argument may be beside nodes and what holds them.
BASE_TYPES = (str, int, float, bool, complex, dtype, Tensor, device, memory_format, layout, enum.Enum)

#: Functions that are one line in torch, a call of the method: that is what its graphs show.
_METHODS_IN_DISGUISE = {"torch.nn.functional.sigmoid": "sigmoid", "torch.nn.functional.tanh": "tanh"}


class TraceError(ValueError):
    """Report a step that depends on a value, which tracing does not know."""


class TracerBase:
    """Make nodes of what is done with proxies.

    Attributes
    ----------
    graph : Graph
        Where the nodes go.
    """

    graph: Graph
    record_stack_traces = False
    trace_asserts = False
    proxy_buffer_attributes = False
    traced_func_name = "forward"
    module_stack: OrderedDict[str, tuple[str, Any]]

    def create_node(
        self, kind: str, target: Any, args: tuple[Any, ...], kwargs: dict[str, Any],
        name: str | None = None, type_expr: Any = None,
    ) -> Node:  # fmt: skip
        """Make a node. A subclass may check or change what it is made of."""
        node = self.graph.create_node(kind, target, args, kwargs, name, type_expr)
        if getattr(self, "module_stack", None):
            node.meta["nn_module_stack"] = self.module_stack.copy()
        return node

    def proxy(self, node: Node) -> Proxy:
        """Return the proxy of a node. A subclass may give its own kind."""
        return Proxy(node, self)

    def create_proxy(
        self, kind: str, target: Any, args: tuple[Any, ...], kwargs: dict[str, Any],
        name: str | None = None, type_expr: Any = None,
        proxy_factory_fn: Callable[[Node], Proxy] | None = None,
    ) -> Proxy:  # fmt: skip
        """Make a node of arguments in which proxies stand, and its proxy."""
        made = self.create_node(kind, target, self.create_arg(args), self.create_arg(kwargs), name, type_expr)
        return (proxy_factory_fn or self.proxy)(made)

    def create_arg(self, a: Any) -> Any:
        """Return an argument of a call as a node holds it.

        Raises
        ------
        NotImplementedError
            For values of other kinds than a graph can hold.
        """
        if isinstance(a, Proxy):
            return a.node
        if hasattr(a, "__fx_create_arg__"):
            return a.__fx_create_arg__(self)
        if isinstance(a, Size):
            return tuple(a)
        if isinstance(a, tuple):
            made = [self.create_arg(item) for item in a]
            return type(a)(*made) if hasattr(a, "_fields") else tuple(made)
        if isinstance(a, list):
            return [self.create_arg(item) for item in a]
        if isinstance(a, dict):
            return {self._key(key): self.create_arg(item) for key, item in a.items()}
        if isinstance(a, (slice, range)):
            return type(a)(*map(self.create_arg, (a.start, a.stop, a.step)))
        if is_dataclass(a) and not isinstance(a, type):
            made_of = {f.name: self.create_arg(getattr(a, f.name)) for f in fields(a)}
            return self.create_node("call_function", type(a), (), made_of)
        if isinstance(a, BASE_TYPES) or a is None or a is ...:
            return a
        raise NotImplementedError(f"argument of type: {type(a)}")

    def _key(self, key: Any) -> Any:
        made = self.create_arg(key)

        def refuse(leaf: Any) -> Any:
            if isinstance(leaf, Node):
                raise RuntimeError(
                    f"Keys for dictionaries used as an argument cannot contain a Node. Got key: {made}"
                )
            return leaf

        map_aggregate(made, refuse)
        return made

    def to_bool(self, obj: Proxy) -> bool:
        """Decide a proxy as a condition, which a subclass may do."""
        raise TraceError("symbolically traced variables cannot be used as inputs to control flow")

    def iter(self, obj: Proxy) -> Iterator[Any]:
        """Iterate over a proxy, which a subclass may do."""
        raise TraceError(
            "Proxy object cannot be iterated. This can be attempted when the Proxy is used in a loop or as a "
            "*args or **kwargs function argument. See the torch.fx docs on pytorch.org for a more detailed "
            "explanation of what types of control flow can be traced, and check out the Proxy docstring for "
            "help troubleshooting Proxy iteration errors"
        )

    def keys(self, obj: Proxy) -> Any:
        """Return the keys of a proxy, so that ``**proxy`` may work in a subclass."""
        return Attribute(obj, "keys")()


class GraphAppendingTracer(TracerBase):
    """Add nodes to a graph that is there; proxies made by hand have one."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph


class Proxy:
    """Stand for the value of a node; functions, methods and operators on it make further nodes.

    Parameters
    ----------
    node : Node
    tracer : TracerBase, optional
        Who makes the nodes; by default they are added to the node's graph.
    """

    def __init__(self, node: Node, tracer: TracerBase | None = None) -> None:
        OVERRIDING.add(type(self))
        self.tracer = GraphAppendingTracer(node.graph) if tracer is None else tracer
        self.node = node

    def __repr__(self) -> str:
        return f"Proxy({self.node.name})"

    def __getattr__(self, k: str) -> Attribute:
        if (k.startswith("__") and k.endswith("__")) or k in ("tracer", "node"):
            raise AttributeError(k)
        return Attribute(self, k)

    def __call__(self, *args: Any, **kwargs: Any) -> Proxy:
        return self.tracer.create_proxy("call_method", "__call__", (self, *args), kwargs)

    def __iter__(self) -> Iterator[Proxy]:
        frame = sys._getframe(1)
        for instruction in dis.get_instructions(frame.f_code):
            if instruction.offset == frame.f_lasti and instruction.opname == "UNPACK_SEQUENCE":
                # ``a, b = proxy`` says how many there are
                return (self[i] for i in range(instruction.argval))  # type: ignore[index]  # attached below
        return self.tracer.iter(self)

    def __abs__(self) -> Proxy:
        return self.tracer.create_proxy("call_function", operator.abs, (self,), {})

    def __bool__(self) -> bool:
        return self.tracer.to_bool(self)

    def keys(self) -> Any:
        """See `TracerBase.keys`."""
        return self.tracer.keys(self)

    def __len__(self) -> NoReturn:
        raise RuntimeError(
            "'len' is not supported in symbolic tracing by default. If you want this call to be recorded, "
            "please call torch.fx.wrap('len') at module scope"
        )

    @classmethod
    def __torch_function__(
        cls, orig_method: Callable[..., Any], types: tuple[type, ...], args: tuple[Any, ...] | None = None,
        kwargs: dict[str, Any] | None = None,
    ) -> Proxy:  # fmt: skip
        args, kwargs = args or (), kwargs or {}
        tracers: dict[TracerBase, None] = {}

        def note(a: Any) -> Any:
            if isinstance(a, Proxy):
                tracers[a.tracer] = None
            return a

        map_aggregate((args, kwargs), note)
        if len(tracers) > 1:
            raise RuntimeError(
                f"Found multiple different tracers {list(tracers)} while trying to trace operations "
                f"{orig_method}"
            )
        tracer = next(iter(tracers))
        method = tensor_method(orig_method) or _METHODS_IN_DISGUISE.get(torch_path(orig_method) or "")
        if method is not None:
            return tracer.create_proxy("call_method", method, args, kwargs)
        args, kwargs = as_torch_passes(orig_method, args, kwargs)
        path = torch_path(orig_method) or orig_method.__name__
        name = tracer.graph._target_to_str(path.rpartition(".")[2])
        return tracer.create_proxy("call_function", orig_method, args, kwargs, name=name)


class Attribute(Proxy):
    """An attribute of a proxy: a node of its own unless it is called as a method."""

    def __init__(self, root: Proxy, attr: str) -> None:
        OVERRIDING.add(type(self))
        self.root = root
        self.attr = attr
        self.tracer = root.tracer
        self._node: Node | None = None

    @property
    def node(self) -> Node:  # type: ignore[override]  # made when it is first asked for
        """Return the node that reads the attribute."""
        if self._node is None:
            read = self.tracer.create_proxy("call_function", getattr, (self.root, self.attr), {})
            self._node = read.node
        return self._node

    def __call__(self, *args: Any, **kwargs: Any) -> Proxy:
        return self.tracer.create_proxy("call_method", self.attr, (self.root, *args), kwargs)


class ParameterProxy(Proxy):
    """A parameter that still tells its shape, for programs that compute with it while they are traced."""

    def __init__(self, tracer: TracerBase, node: Node, name: str, param: Any) -> None:
        super().__init__(node, tracer)
        self.param = param
        self.name = name

    def __repr__(self) -> str:
        return f"ParameterProxy({self.name})"

    @property
    def shape(self) -> Any:
        """Return the parameter's shape."""
        return self.param.shape

    def size(self) -> Any:
        """Return the same."""
        return self.param.size()

    def dim(self) -> int:
        """Return the number of its axes."""
        return int(self.param.dim())

    @property
    def ndim(self) -> int:
        """Return the same."""
        return int(self.param.dim())

    def numel(self) -> int:
        """Return the number of its elements."""
        return int(self.param.numel())

    nelement = numel


def _operator_method(name: str, swapped: bool) -> Callable[..., Proxy]:
    target = getattr(operator, name)

    def make(self: Proxy, *others: Any) -> Proxy:
        args = (*others, self) if swapped else (self, *others)
        return self.tracer.create_proxy("call_function", target, args, {})

    make.__name__ = make.__qualname__ = f"__r{name.strip('_')}__" if swapped else name
    return make


for _name in OPERATORS:
    setattr(Proxy, f"__{_name.strip('_')}__", _operator_method(_name, swapped=False))
for _name in REFLECTABLE:
    setattr(Proxy, f"__r{_name.strip('_')}__", _operator_method(_name, swapped=True))
# a class that defines __eq__ must say that it is hashed by identity
Proxy.__hash__ = object.__hash__  # type: ignore[method-assign]  # see above

__all__ = ["Attribute", "GraphAppendingTracer", "ParameterProxy", "Proxy", "TraceError", "TracerBase"]
