"""Trace symbolically: a module or function runs once on proxies, and what it does becomes a graph."""

import builtins
import functools
import inspect
import math
import sys
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import CodeType, FunctionType, ModuleType
from typing import Any

from ..nn import Module, Parameter, Sequential
from ..tensor.tensor import Tensor
from ..torch_names.overrides import _assert
from ._compatibility import compatibility  # noqa: F401  # libraries take it from here
from .graph import Graph
from .graph_module import GraphModule
from .node import map_aggregate
from .proxy import BASE_TYPES, ParameterProxy, Proxy, TracerBase

Function = Callable[..., Any]

#: What `wrap` was called with: the globals that a name is in, and the name.
_wrapped: dict[tuple[int, str], dict[str, Any]] = {}


class PHBase:
    """Stand, in `concrete_args`, for an input that stays an input."""

    def __repr__(self) -> str:
        return "PH"


PH = PHBase()


def wrap(fn_or_name: Any) -> Any:
    """Keep the calls of a function of this module as one node each, at a module's top level.

    Parameters
    ----------
    fn_or_name : callable or str
        The function, or its name among the module's globals or the builtins.

    Returns
    -------
    What was given, so that it can stand as a decorator.
    """
    if not callable(fn_or_name) and not isinstance(fn_or_name, str):
        raise RuntimeError("Unsupported type for global function! Must be either a callable or string name")
    frame = sys._getframe(1)
    if frame.f_code.co_name != "<module>":
        raise NotImplementedError("wrap must be called at the top level of a module")
    name = fn_or_name if isinstance(fn_or_name, str) else fn_or_name.__name__
    _wrapped[(id(frame.f_globals), name)] = frame.f_globals
    return fn_or_name


def _recording(function: Function) -> Function:
    """Return a function that becomes a node where it meets a proxy."""

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        met: list[Proxy] = []
        map_aggregate((args, kwargs), lambda a: met.append(a) if isinstance(a, Proxy) else a)
        if not met:
            return function(*args, **kwargs)
        made = met[-1].tracer.create_proxy("call_function", function, args, kwargs)
        made.node.meta["is_wrapped"] = True
        return made

    call._records = True  # type: ignore[attr-defined]  # so that it is not wrapped again
    return call


class _Patches:
    """Changes of namespaces and classes that end with the tracing."""

    _MISSING = object()

    def __init__(self) -> None:
        self._undo: list[Callable[[], None]] = []
        self._seen: set[int] = set()

    def function(self, place: dict[str, Any], name: str) -> None:
        """Have a name in a namespace stand for the function that records."""
        before = place.get(name, self._MISSING)
        function = getattr(builtins, name) if before is self._MISSING else before
        if getattr(function, "_records", False):
            return
        place[name] = _recording(function)
        if before is self._MISSING:
            self._undo.append(lambda: place.pop(name))
        else:
            self._undo.append(lambda: place.__setitem__(name, before))

    def functions(self, place: dict[str, Any], chosen: set[int]) -> None:
        """Do the same for all names of a namespace whose functions are chosen by id."""
        if id(place) in self._seen:
            return
        self._seen.add(id(place))
        for name, value in list(place.items()):
            if not name.startswith("_") and callable(value) and id(value) in chosen:
                self.function(place, name)

    def method(self, cls: type, name: str, new: Function) -> None:
        """Replace a method."""
        before = getattr(cls, name)
        setattr(cls, name, new)
        self._undo.append(lambda: setattr(cls, name, before))

    def end(self) -> None:
        """Undo all, the last first."""
        while self._undo:
            self._undo.pop()()


@contextmanager
def _patching() -> Iterator[_Patches]:
    patches = _Patches()
    try:
        yield patches
    finally:
        patches.end()


def _with_plain_arguments(function: Any, count: int) -> FunctionType:
    """Return the function with its ``*args`` and ``**kwargs`` as ordinary arguments, which take proxies."""
    code: CodeType = function.__code__
    flags = code.co_flags & ~(inspect.CO_VARARGS | inspect.CO_VARKEYWORDS)
    changed = code.replace(co_argcount=count, co_kwonlyargcount=0, co_posonlyargcount=0, co_flags=flags)
    return FunctionType(
        changed, function.__globals__, function.__name__, function.__defaults__, function.__closure__
    )


class Tracer(TracerBase):
    """Run a module or function on proxies.

    Parameters
    ----------
    autowrap_modules : tuple of module, optional
        Modules whose functions become nodes where they meet proxies.
    autowrap_functions : tuple of callable, optional
        Further such functions.
    param_shapes_constant : bool, optional
        Whether parameters tell their shapes while the program is traced.
    """

    def __init__(
        self, autowrap_modules: tuple[ModuleType, ...] = (math,),
        autowrap_functions: tuple[Function, ...] = (), param_shapes_constant: bool = False,
    ) -> None:  # fmt: skip
        self._autowrap_search = list(autowrap_modules)
        held = (item for module in autowrap_modules for item in vars(module).items())
        self._autowrap_ids = {id(v) for name, v in held if not name.startswith("_") and callable(v)}
        self._autowrap_ids.update(map(id, autowrap_functions))
        self.param_shapes_constant = param_shapes_constant
        self.root: Any = None
        self.tensor_attrs: dict[Any, str] = {}
        self.module_stack: OrderedDict[str, tuple[str, Any]] = OrderedDict()
        self._calls: dict[str, int] = {}

    # --- what a subclass may change -------------------------------------------------------------------------

    def is_leaf_module(self, m: Module, module_qualified_name: str) -> bool:
        """Return whether a module becomes one node: torch's own do, all but `Sequential`."""
        own = type(m).__module__.startswith(("torch.nn", "torch.ao.nn"))
        return own and not isinstance(m, Sequential)

    def path_of_module(self, mod: Module) -> str:
        """Return the path of a module below the root."""
        for name, module in self.root.named_modules():
            if module is mod:
                return str(name)
        raise NameError("module is not installed as a submodule")

    def call_module(self, m: Module, forward: Function, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Trace a call of a submodule: a node for a leaf, else what its `forward` does."""
        path = self.path_of_module(m)
        times = self._calls.get(path, 0)
        self._calls[path] = times + 1
        key = f"{path}@{times}" if times else path
        self.module_stack[key] = (path, type(m))
        try:
            if self.is_leaf_module(m, path):
                return self.create_proxy("call_module", path, args, kwargs)
            return forward(*args, **kwargs)
        finally:
            self.module_stack.pop(key)

    def getattr(self, attr: str, attr_val: Any, parameter_proxy_cache: dict[str, Proxy]) -> Any:
        """Return an attribute of a module while it is traced: a node for a parameter."""
        if isinstance(attr_val, Parameter):
            held = self.root.named_parameters()
        elif self.proxy_buffer_attributes and isinstance(attr_val, Tensor):
            held = self.root.named_buffers()
        else:
            return attr_val
        for name, value in held:
            if value is attr_val:
                if name not in parameter_proxy_cache:
                    made = functools.partial(ParameterProxy, self, name=name, param=attr_val)
                    factory = made if self.param_shapes_constant else None
                    parameter_proxy_cache[name] = self.create_proxy(
                        "get_attr", name, (), {}, proxy_factory_fn=factory
                    )
                return parameter_proxy_cache[name]
        return attr_val

    def get_fresh_qualname(self, prefix: str) -> str:
        """Return a name of the root that is still free."""
        number = 0
        while hasattr(self.root, f"{prefix}{number}"):
            number += 1
        return f"{prefix}{number}"

    def create_arg(self, a: Any) -> Any:
        """Return an argument as a node holds it; a tensor becomes an attribute of the root."""
        if isinstance(a, Parameter):
            for name, value in self.root.named_parameters():
                if value is a:
                    return self.create_node("get_attr", name, (), {})
            raise NameError("parameter is not a member of this module")
        if isinstance(a, (Tensor, Module)):
            named = self.root.named_buffers() if isinstance(a, Tensor) else self.root.named_modules()
            for name, value in named:
                if value is a:
                    return self.create_node("get_attr", name, (), {})
        if isinstance(a, tuple) and hasattr(a, "_fields"):
            args = tuple(self.create_arg(item) for item in a)
            return self.create_node("call_function", type(a), args, {})
        if isinstance(a, Tensor):
            if (name := self.tensor_attrs.get(a)) is None:
                name = self.tensor_attrs[a] = self.get_fresh_qualname("_tensor_constant")
                setattr(self.root, name, a)
            return self.create_node("get_attr", name, (), {})
        return super().create_arg(a)

    # --- tracing --------------------------------------------------------------------------------------------

    def trace(
        self, root: Module | Function, concrete_args: dict[str, Any] | tuple[Any, ...] | None = None
    ) -> Graph:
        """Return the graph of what a module or function does.

        Parameters
        ----------
        root : Module or callable
        concrete_args : dict, optional
            Arguments that have these values, by name, and are no inputs of the graph. The graph checks, when
            it runs, that it is given the same.

        Raises
        ------
        TraceError
            Where what is done depends on a value.
        """
        if isinstance(root, Module):
            self.root = root
            function: Any = getattr(type(root), self.traced_func_name)
        else:
            self.root = Module()
            function = root
        self.graph = Graph(tracer_cls=type(self))
        self.tensor_attrs = {
            value: ".".join(filter(None, (path, name)))
            for path, module in self.root.named_modules()
            for name, value in vars(module).items()
            if isinstance(value, Tensor)
        }
        space = function.__globals__
        run, args = self.create_args_for_root(function, isinstance(root, Module), concrete_args)
        with _patching() as patches:
            self._patch(patches, space)
            result = self.create_arg(run(*args))
        returned = _annotations(inspect.unwrap(function)).get("return")
        self.create_node("output", "output", (result,), {}, type_expr=returned)
        return self.graph

    def _patch(self, patches: _Patches, space: dict[str, Any]) -> None:
        plain_getattr, plain_call = Module.__getattr__, Module.__call__
        cache: dict[str, Proxy] = {}

        def read(module: Module, name: str) -> Any:
            return self.getattr(name, plain_getattr(module, name), cache)

        def call(module: Module, *args: Any, **kwargs: Any) -> Any:
            place = getattr(module.forward, "__globals__", {})
            patches.functions(place, self._autowrap_ids)
            return self.call_module(module, functools.partial(plain_call, module), args, kwargs)

        patches.method(Module, "__getattr__", read)
        patches.method(Module, "__call__", call)
        for (_, name), place in list(_wrapped.items()):
            patches.function(place, name)
        for place in (space, *map(vars, self._autowrap_search)):
            patches.functions(place, self._autowrap_ids)

    def create_args_for_root(
        self, root_fn: Function, is_module: bool,
        concrete_args: dict[str, Any] | tuple[Any, ...] | None = None,
    ) -> tuple[Function, list[Any]]:  # fmt: skip
        """Return the function to run and the proxies to run it on."""
        function = inspect.unwrap(root_fn)
        code = function.__code__
        count = code.co_argcount + code.co_kwonlyargcount
        names = list(code.co_varnames[:count])
        if is_module and not names:
            raise RuntimeError("``self`` argument cannot be part of *args expansion!")
        args: list[Any] = [self.root] if is_module else []
        names = names[1:] if is_module else names
        if isinstance(concrete_args, tuple):
            if len(names) != len(concrete_args):
                raise RuntimeError(
                    f"Tracing expected {len(names)} arguments but got {len(concrete_args)} concrete arguments"
                )
            concrete_args = dict(zip(names, concrete_args, strict=True))
        rest = iter(code.co_varnames[count:])
        if code.co_flags & inspect.CO_VARARGS:
            names.append("*" + next(rest))
        if code.co_flags & inspect.CO_VARKEYWORDS:
            names.append("**" + next(rest))
        args += [self._input(name, function, concrete_args or {}) for name in names]
        if code.co_kwonlyargcount or (names and names[-1].startswith("*")):
            root_fn = _with_plain_arguments(root_fn, len(args))
        return root_fn, args

    def _input(self, name: str, function: Any, concrete: dict[str, Any]) -> Any:
        default: tuple[Any, ...] = ()
        if not name.startswith("*"):
            declared = inspect.signature(function).parameters[name].default
            default = () if declared is inspect.Parameter.empty else (declared,)
        if name not in concrete:
            kind = _annotations(function).get(name)
            return self.create_proxy("placeholder", name, default, {}, type_expr=kind)
        value = concrete[name]
        given = self.create_proxy("placeholder", f"{name}_1", default, {})
        if isinstance(value, PHBase):
            return given
        if value is None:
            text = f"{name} has been specialized to have value None but got another value"
            self.create_proxy("call_function", _assert_is_none, (given, text), {})
        elif isinstance(value, BASE_TYPES) and not isinstance(value, Tensor):
            text = f"{name} has been specialized to have value {value} but got another value"
            _assert(given == value, text)
        else:
            raise NotImplementedError(f"argument of type: {type(value)}")
        return value


def _annotations(function: Any) -> dict[str, Any]:
    """Return the types that a program gives; those of pullback's own modules say less than torch's."""
    own = str(function.__module__).startswith(f"{__name__.split('.', 1)[0]}.")
    return {} if own else inspect.get_annotations(function)


def _assert_is_none(value: object, msg: str) -> None:
    if value is not None:
        raise AssertionError(msg)


_assert_is_none.__module__ = "torch.fx._symbolic_trace"


def symbolic_trace(root: Module | Function, concrete_args: dict[str, Any] | None = None) -> GraphModule:
    """Trace a module or function and make a module of its graph.

    Parameters
    ----------
    root : Module or callable
    concrete_args : dict, optional
        Arguments with fixed values, by name.

    Returns
    -------
    GraphModule
        It shares the parameters and buffers of `root`.
    """
    tracer = Tracer()
    graph = tracer.trace(root, concrete_args)
    name = type(root).__name__ if isinstance(root, Module) else root.__name__
    return GraphModule(tracer.root, graph, name)


__all__ = ["PH", "Tracer", "symbolic_trace", "wrap"]
