"""torch.jit: functions and modules stay the Python that they are.

`script` returns what it is given, so that a program runs as it stands; there is no TorchScript program to
print, save or load. `trace` gives a program of pullback's own, which can be saved and loaded (see `traced`).
"""

from builtins import isinstance as _is
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import UnionType
from typing import Any, Final, NamedTuple, NoReturn, TypeVar, Union, get_args, get_origin, overload

from ...errors import with_note
from ...nn import Module
from ..exclusions import answer_for
from ..futures import Future
from .traced import (
    RecursiveScriptModule,
    ScriptFunction,
    ScriptModule,
    TopLevelTracedModule,
    TracedModule,
    TracerWarning,
    is_tracing,
    loaded,
    traced,
)

M = TypeVar("M", bound=Module)
T = TypeVar("T")


class Error(Exception):
    """An error in a compiled program."""

    __module__ = "torch.jit"


class ScriptWarning(Warning):
    """Warn of a scripted program."""


class DeviceObjType:
    """The type of devices in TorchScript; libraries annotate with it."""

    __module__ = "torch"

    def __init__(self) -> None:
        raise TypeError("torch._C.DeviceObjType: No constructor defined!")


class CompilationUnit:
    """A set of compiled functions, which cannot be made here."""

    def __init__(self, *_: Any, **__: Any) -> None:
        _refuse("compile TorchScript source")


class Attribute(NamedTuple):
    """A value with its type, for `ScriptModule` attributes."""

    value: Any
    type: Any


def _refuse(what: str) -> NoReturn:
    raise with_note(
        RuntimeError(f"torch.jit: pullback does not {what}"),
        "torch.jit.script and torch.jit.trace return the Python callable; save a state_dict with torch.save.",
    )


def script(
    obj: T, optimize: Any = None, _frames_up: int = 0, _rcb: Any = None, example_inputs: Any = None
) -> T:
    """Return a function, class or module as it is.

    Parameters
    ----------
    obj : callable or Module
    optimize, example_inputs
        Taken for torch's sake.
    """
    return obj


def trace(
    func: Any, example_inputs: Any = None, optimize: Any = None, check_trace: bool = True,
    check_inputs: Any = None, check_tolerance: float = 1e-5, strict: bool = True,
    _force_outplace: bool = False, _module_class: Any = None, _compilation_unit: Any = None,
    example_kwarg_inputs: Any = None, _store_inputs: bool = True,
) -> Any:  # fmt: skip
    """Trace a function or module on example inputs, and return it as a program.

    Parameters
    ----------
    func : callable or Module
    example_inputs : tuple or Tensor
    example_kwarg_inputs : dict, optional
        Arguments by keyword.
    optimize, check_trace, check_inputs, check_tolerance, strict
        Taken for torch's sake.

    Returns
    -------
    TopLevelTracedModule or ScriptFunction
        With ``save``. Where the function cannot be written down it is returned as it is, with a warning.
    """
    args = () if example_inputs is None else example_inputs
    if _is(args, dict):
        return traced(func, (), args)
    args = tuple(args) if _is(args, (tuple, list)) else (args,)
    return traced(func, args, dict(example_kwarg_inputs or {}))


def trace_module(mod: Any, inputs: Any, *_: Any, **__: Any) -> Any:
    """Trace the method ``forward`` of a module; other methods stay Python's.

    Parameters
    ----------
    mod : Module
    inputs : dict of str to tuple
        Example inputs by method.
    """
    return trace(mod, inputs["forward"]) if "forward" in inputs else mod


def script_if_tracing(fn: T) -> T:
    """Return a function as it is."""
    return fn


def export(fn: T) -> T:
    """Mark a method for compilation, which changes nothing."""
    return fn


def unused(fn: T) -> T:
    """Mark a method as not for compilation, which changes nothing."""
    return fn


def script_method(fn: T) -> T:
    """Mark a method for compilation, which changes nothing."""
    return fn


def interface(obj: T) -> T:
    """Mark a class as an interface, which changes nothing."""
    return obj


@overload
def ignore(drop: T, **_: Any) -> T: ...
@overload
def ignore(drop: bool = False, **_: Any) -> Callable[[T], T]: ...
def ignore(drop: Any = False, **_: Any) -> Any:
    """Mark a function as Python's, with or without arguments; it stays as it is."""
    return drop if callable(drop) else (lambda fn: fn)


def freeze(mod: M, preserved_attrs: Any = None, optimize_numerics: bool = True) -> M:
    """Return a module as it is; as in torch it may not be in training."""
    if mod.training:
        raise RuntimeError(
            "Freezing is currently only implemented for modules in eval mode. Please call .eval() on your "
            "module before freezing."
        )
    return mod


def optimize_for_inference(mod: T, other_methods: Any = None) -> T:
    """Return a module as it is."""
    return mod


def run_frozen_optimizations(mod: Any, optimize_numerics: bool = True, preserved_methods: Any = None) -> None:
    """Do nothing."""


def is_scripting() -> bool:
    """Return False: no function is ever compiled by TorchScript."""
    return False


def annotate(the_type: Any, the_value: T) -> T:
    """Return the value."""
    return the_value


def isinstance(obj: Any, target_type: Any) -> bool:
    """Return whether an object is of a type, which may be a container of types such as ``list[int]``."""
    return _is_instance(obj, target_type)


def _is_instance(obj: Any, wanted: Any) -> bool:
    if _is(wanted, tuple):
        return any(_is_instance(obj, kind) for kind in wanted)
    origin, parts = get_origin(wanted), get_args(wanted)
    if origin in (Union, UnionType):
        return any(_is_instance(obj, kind) for kind in parts)
    if origin is None:
        if wanted in (list, dict, tuple):
            raise RuntimeError(
                f"Attempted to use {wanted.__name__} without a contained type. Please add a contained type, "
                f"e.g. {wanted.__name__}[{'int, int' if wanted is dict else 'int'}]"
            )
        return _is(obj, type(None) if wanted is None else wanted)
    if not _is(obj, origin):
        return False
    if origin is tuple:
        return len(obj) == len(parts) and all(map(_is_instance, obj, parts))
    if origin is dict:
        return all(_is_instance(k, parts[0]) and _is_instance(v, parts[1]) for k, v in obj.items())
    return all(_is_instance(item, parts[0]) for item in obj)


def fork(func: Callable[..., Any], *args: Any, **kwargs: Any) -> Future[Any]:
    """Call a function now and return its result as a future."""
    future: Future[Any] = Future()
    future.set_result(func(*args, **kwargs))
    return future


def wait(future: Future[Any]) -> Any:
    """Wait for a future and return its value."""
    return future.wait()


@contextmanager
def optimized_execution(should_optimize: bool) -> Iterator[None]:
    """Open a ``with`` block that changes nothing."""
    yield


@contextmanager
def fuser(name: str) -> Iterator[None]:
    """Open a ``with`` block that changes nothing."""
    yield


def set_fusion_strategy(strategy: list[tuple[str, int]]) -> list[tuple[str, int]]:
    """Return the strategy that was; there is nothing to fuse."""
    return []


def enable_onednn_fusion(enabled: bool) -> None:
    """Do nothing."""


def onednn_fusion_enabled() -> bool:
    """Return False."""
    return False


def save(m: Any, f: Any, _extra_files: Any = None) -> None:
    """Write a traced module or function to a file.

    Raises
    ------
    RuntimeError
        It is not traced: `script` returns the Python that it is given.
    """
    if not _is(m, (TopLevelTracedModule, ScriptFunction)):
        _refuse("save TorchScript programs: trace the module on example inputs (torch.jit.trace)")
    m.save(f, _extra_files)


_overload_method = _overload = export
_script_if_tracing = script_if_tracing


def load(f: Any, map_location: Any = None, _extra_files: Any = None, _restore_shapes: bool = False) -> Any:
    """Read a traced module that pullback has saved. Nothing in the file is executed.

    Parameters
    ----------
    f : path or binary file
    map_location, _restore_shapes
        Taken for torch's sake.

    Raises
    ------
    RuntimeError
        The file holds something else; TorchScript, which torch saves, is a language of its own.
    """
    return loaded(f, _extra_files)


__all__ = [
    "Attribute", "CompilationUnit", "Error", "Final", "Future", "RecursiveScriptModule", "ScriptFunction",
    "ScriptModule", "ScriptWarning", "TopLevelTracedModule", "TracedModule", "TracerWarning", "annotate",
    "enable_onednn_fusion", "export", "fork", "freeze", "fuser", "ignore", "interface", "is_scripting",
    "is_tracing", "isinstance", "load", "onednn_fusion_enabled", "optimize_for_inference",
    "optimized_execution", "run_frozen_optimizations", "save", "script", "script_if_tracing", "script_method",
    "set_fusion_strategy", "trace", "trace_module", "unused", "wait",
]  # fmt: skip

answer_for(globals())
