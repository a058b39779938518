"""torch.compile and torch.compiler: their arguments and their names.

`compile` checks its arguments as torch does and returns a function that runs as native code (see `compiled`),
or eagerly where it is asked to: by ``backend="eager"``, by `set_stance`, by ``PULLBACK_NATIVE=0``, and where
llvmlite is not installed. A compiled module is wrapped as in torch, so that its state dict has the prefix
``_orig_mod.`` that checkpoints of compiled modules have.
"""

import functools
import os
import platform
import sys
import warnings
import weakref
from collections.abc import Callable
from typing import Any, TypeVar, cast, overload

from ..array import large
from ..core.blame import user_frame
from ..core.settings import SETTINGS
from ..core.tracer import is_tracing
from ..nn import Module
from .frontend.collector import uncollected
from .frontend.unsupported import STANCE, Unsupported

F = TypeVar("F", bound=Callable[..., Any])
T = TypeVar("T")

_MODES = ("default", "lite", "reduce-overhead", "max-autotune-no-cudagraphs", "max-autotune")
_BACKENDS = ("cudagraphs", "inductor", "openxla", "tvm")
_BY_NAME = (*_BACKENDS, "eager", "aot_eager", "aot_ts", "native")
#: Backends that are native code; the others run functions as Python.
_NATIVE = ("inductor", "native")
#: Every compiled function, for `reset`.
_made: weakref.WeakSet[Any] = weakref.WeakSet()


class OptimizedModule(Module):
    """A module under `compile`: it calls the module and lends its attributes.

    Parameters
    ----------
    mod : Module
        Kept as ``_orig_mod``, which is also the prefix in the state dict.
    options : tuple, optional
        How it is compiled (see `_native`); without them it is only called.
    """

    __module__ = "torch._dynamo.eval_frame"

    _orig_mod: Module
    _options: tuple[Any, ...] | None

    def __init__(self, mod: Module, options: tuple[Any, ...] | None = None) -> None:
        super().__init__()
        self._orig_mod = mod
        self.__dict__["_options"] = options
        self._set_call()
        self.training = mod.training

    def _set_call(self) -> None:
        native = None if self._options is None else _native(self._orig_mod, *self._options)
        # Not by assignment: a module would become a second child, with a second copy of its state.
        self.__dict__["_call"] = self._orig_mod if native is None else _published(native)

    def __reduce_ex__(self, protocol: Any) -> Any:
        # Programs stay behind: they are of the parameters that this module has, and a copy has others.
        state = {name: value for name, value in self.__dict__.items() if name != "_call"}
        return _blank, (), state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._set_call()

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        return self._call(*args, **kwargs)

    def __getattr__(self, name: str) -> Any:
        return self._modules["_orig_mod"] if name == "_orig_mod" else getattr(self._orig_mod, name)

    def __setattr__(self, name: str, value: Any) -> None:
        own = name in ("_orig_mod", "training") or name in self.__dict__ or "_orig_mod" not in self._modules
        if own:
            super().__setattr__(name, value)
        else:
            setattr(self._orig_mod, name, value)

    def __len__(self) -> int:
        return len(self._orig_mod)


def _blank() -> OptimizedModule:
    """Return one for `__setstate__` to fill: a class would be found under torch's name, where torch is."""
    made: OptimizedModule = OptimizedModule.__new__(OptimizedModule)
    return made


class InvalidBackend(RuntimeError):
    """The name of a backend that is not there."""

    __module__ = "torch._dynamo.exc"


@overload
def compile(
    model: F, *, fullgraph: bool = ..., dynamic: bool | None = ..., backend: Any = ...,
    mode: str | None = ..., options: dict[str, Any] | None = ..., disable: bool = ...,
    recompile_limit: int | None = ..., name: str | None = ..., check: bool = ...,
) -> F: ...
@overload
def compile(
    model: None = None, *, fullgraph: bool = ..., dynamic: bool | None = ..., backend: Any = ...,
    mode: str | None = ..., options: dict[str, Any] | None = ..., disable: bool = ...,
    recompile_limit: int | None = ..., name: str | None = ..., check: bool = ...,
) -> Callable[[F], F]: ...
def compile(
    model: Callable[..., Any] | None = None, *, fullgraph: bool = False, dynamic: bool | None = None,
    backend: Any = None, mode: str | None = None, options: dict[str, Any] | None = None,
    disable: bool = False, recompile_limit: int | None = None, name: str | None = None, check: bool = False,
) -> Callable[..., Any]:
    """Return a callable with the results of a function or module.

    Parameters
    ----------
    model : callable or Module, optional
        Without it, the result decorates a function: ``@torch.compile(mode="reduce-overhead")``.
    mode : str, optional
        One of torch's modes, which change nothing.
    backend : str or callable, optional
        ``"inductor"``, the default, and ``"native"``: the function is traced and runs as native code made
        by LLVM (see `compiled.Compiled`). Any other: it runs eagerly.
    options : dict, optional
        Not together with `mode`.
    fullgraph : bool
        Raise where the function cannot be traced, instead of running it eagerly after one warning.
    recompile_limit : int, optional
        Traces of the function before it runs eagerly (8): each set of shapes is a trace.
    disable : bool
        Return the function as it is.
    check : bool
        Look for wrong numbers: every call computes every value of the program in eager, too, and warns of the
        first of the function's lines at which native code differs, with both values. Slow.
    dynamic, name
        Taken for torch's sake.

    Returns
    -------
    callable
        The function in a wrapper of its name, or an `OptimizedModule`.
    """
    if model is None:
        return functools.partial(
            compile, fullgraph=fullgraph, dynamic=dynamic, backend=backend, mode=mode, options=options,
            disable=disable, recompile_limit=recompile_limit, name=name, check=check,
        )
    if mode is not None and options is not None:
        raise RuntimeError(
            "Either mode or options can be specified, but both can't be specified at the same time."
        )
    if mode is not None and mode not in _MODES:
        raise RuntimeError(f"Unrecognized mode={mode}, should be one of: {', '.join(_MODES)}")
    if isinstance(backend, str) and backend not in _BY_NAME:
        raise InvalidBackend(
            f"Invalid backend: {backend!r}, see `torch._dynamo.list_backends()` for available backends."
        )
    if not callable(model):
        raise AssertionError(f"A callable function is expected, but {type(model)} is provided.")
    if disable or isinstance(model, type) or getattr(model, "_torchdynamo_disable", False):
        return model
    chosen = SETTINGS.compile_backend if backend is None else backend
    chosen_options = (fullgraph, recompile_limit, check)
    if isinstance(model, Module):
        return OptimizedModule(model, chosen_options if chosen in _NATIVE else None)
    native = _native(model, *chosen_options) if chosen in _NATIVE else None

    def unchanged(*args: Any, **kwargs: Any) -> Any:
        return model(*args, **kwargs)

    compiled: Any = functools.wraps(model)(unchanged if native is None else _published(native))
    compiled._native = native
    compiled._torchdynamo_orig_callable = model  # torch's name for it
    return compiled


def _native(function: Callable[..., Any], fullgraph: bool, limit: int | None, check: bool) -> Any:
    """Return the function as native code; None if it is not wanted, or nothing makes it on this Python."""
    if os.environ.get("PULLBACK_NATIVE") == "0":
        return None
    if missing := large.without_compiler():
        _warn(missing)
        return None
    with uncollected():  # of an import's time the collector takes a tenth
        from .frontend.bytecode import instructions

        if not instructions.SUPPORTED:
            _warn(f"the bytecode of this Python, {platform.python_version()}, is not known")
            return None
        from .runtime.compiled import Compiled
    made = Compiled(function, fullgraph=fullgraph, limit=limit, check=check)
    _made.add(made)
    return made


def _published(native: Any) -> Any:
    from .inspection.report import published

    return published(native, native.entry())


@functools.cache
def _warn(why: str) -> None:
    """Say once, of the user's line, that functions run eagerly."""
    frame = user_frame(sys._getframe())
    warnings.warn_explicit(
        f"compile: functions run eagerly: {why}", UserWarning, frame.f_code.co_filename, frame.f_lineno
    )


def is_compiling() -> bool:
    """Return whether a function is being traced by `compile`."""
    return is_tracing()


def is_dynamo_compiling() -> bool:
    """Return whether a function is being traced by `compile`."""
    return is_tracing()


def is_exporting() -> bool:
    """Return False: nothing is exported."""
    return False


def reset() -> None:
    """Forget the programs of every compiled function, and what made it run eagerly."""
    for made in list(_made):
        made.reset()


def cudagraph_mark_step_begin() -> None:
    """Do nothing."""


@overload
def disable(fn: F, recursive: bool = True, *, reason: str | None = None) -> F: ...
@overload
def disable(fn: None = None, recursive: bool = True, *, reason: str | None = None) -> Callable[[F], F]: ...
def disable(fn: Any = None, recursive: bool = True, *, reason: str | None = None) -> Any:
    """Return a function that is not compiled: alone it runs as Python, and so does a function that calls it.

    Without a function, a decorator that does so.
    """
    if fn is None:
        return functools.partial(disable, recursive=recursive, reason=reason)
    if not callable(fn) or isinstance(fn, (type, Module)):
        return fn

    @functools.wraps(fn)
    def disabled(*args: Any, **kwargs: Any) -> Any:
        if is_tracing():
            raise Unsupported(f"it calls {disabled.__qualname__}, which torch.compiler.disable excludes")
        return fn(*args, **kwargs)

    disabled._torchdynamo_disable = True  # type: ignore[attr-defined]  # torch's name for it
    return disabled


def allow_in_graph(fn: T) -> T:
    """Return a function, or a list of them, as it is."""
    return fn


def assume_constant_result(fn: T) -> T:
    """Return a function as it is."""
    return fn


@overload
def nested_compile_region(fn: F, options: Any = None) -> F: ...
@overload
def nested_compile_region(fn: None = None, options: Any = None) -> Callable[[F], F]: ...
def nested_compile_region(fn: Any = None, options: Any = None) -> Any:
    """Return a function as it is; without one, a decorator that does."""
    return (lambda fn: fn) if fn is None else fn


def substitute_in_graph(original_fn: Any, **_: Any) -> Callable[[Any], Any]:
    """Return a decorator that leaves its function as it is."""
    return lambda fn: fn


def list_backends(exclude_tags: Any = ("debug", "experimental")) -> list[str]:
    """Return the names that torch lists; none of them is asked."""
    return list(_BACKENDS)


def get_default_backend() -> Any:
    """Return the backend of `compile` where none is named."""
    return SETTINGS.compile_backend


def set_default_backend(backend: Any) -> None:
    """Choose it; None chooses ``"inductor"`` again."""
    SETTINGS.compile_backend = "inductor" if backend is None else backend


class set_stance:
    """Say how compiled functions are treated, for a ``with`` block, a decorated function or from now on.

    Parameters
    ----------
    stance : str
        ``"force_eager"``: they run as Python; with ``"eager_on_recompile"`` and ``"fail_on_recompile"`` a
        call that none of a function's programs fits runs as Python, or raises.
    """

    def __init__(
        self, stance: str = "default", *, skip_guard_eval_unsafe: bool = False, force_backend: Any = None
    ) -> None:
        self.stance = stance
        self._before = STANCE[:]
        STANCE[:] = [] if stance == "default" else [stance]

    def __enter__(self) -> None:
        return None

    def __exit__(self, *_: object) -> None:
        STANCE[:] = self._before

    def __call__(self, fn: F) -> F:
        STANCE[:] = self._before

        @functools.wraps(fn)
        def with_stance(*args: Any, **kwargs: Any) -> Any:
            with set_stance(self.stance):
                return fn(*args, **kwargs)

        return cast("F", with_stance)
