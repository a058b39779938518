"""Define autocast: while it is on, functions run in the precision that suits them.

`tensor.cast_functions` names the functions that are cast. Only float32 and the half precisions are cast,
never float64.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, TypeVar, cast, overload

import numpy as np

from ...array import dtypes
from ...array.named_tuples import NamedTuple
from ...core.device import device as as_device
from ...core.modes import beneath_autocast, change, modes, put_modes, reset_modes
from ...core.node import LEAF
from ...core.value import TensorBase, dtype_of
from ...core.warn import warn
from ...tensor.cast_functions import LOWER, PADDED, WIDEST, is_cast
from ...tensor.interception import activate, deactivate, without

F = TypeVar("F", bound=Callable[..., Any])


_HALVES = (dtypes.bfloat16, dtypes.float16)
_FLOAT32 = np.dtype(np.float32)
#: Devices that torch knows autocast of, and the dtype each begins with.
_DTYPES = {
    "cpu": dtypes.bfloat16, "cuda": dtypes.float16, "hpu": dtypes.bfloat16, "ipu": dtypes.float16,
    "maia": dtypes.bfloat16, "mps": dtypes.float16, "mtia": dtypes.bfloat16, "privateuseone": dtypes.float16,
    "xla": dtypes.bfloat16, "xpu": dtypes.float16,
}  # fmt: skip


class _State(NamedTuple):
    """Hold what the functions below read and set, a record for each change."""

    enabled: frozenset[str] = frozenset()
    dtypes: Mapping[str, Any] = _DTYPES
    cache_enabled: bool = True
    nesting: int = 0


_INITIAL = _State()
_state: ContextVar[_State] = ContextVar("pullback_autocast", default=_INITIAL)
#: Is told of each question for the settings, while a function is traced.
_asked: ContextVar[list[Any] | None] = ContextVar("pullback_autocast_asked", default=None)
#: Casts of leaves that require grad, so that a weight used twice is cast once; by identity.
_cache: ContextVar[dict[tuple[int, bool], tuple[Any, Any]] | None] = ContextVar(
    "pullback_autocast_cache", default=None
)


class _Caster(NamedTuple):
    """Answer a call: whether a function is on the lists, and how it then runs."""

    dtype: Any  # the lower precision
    caches: bool  # whether casts of weights are kept

    def casts(self, label: str) -> bool:
        """Return whether a function's arguments are cast."""
        return is_cast(label)

    def run(self, label: str, call: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Call a function on cast arguments, with autocast off."""
        if (plain := beneath_autocast(modes())) is None:
            with without(autocast=None):
                return self._run(label, call, args, kwargs)
        token = put_modes(plain)
        try:
            return self._run(label, call, args, kwargs)
        finally:
            reset_modes(token)

    def _run(
        self, label: str, call: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Any:
        if label in LOWER:
            wanted = self.dtype
        elif label in WIDEST:
            wanted = _widest((*args, *kwargs.values()), self.dtype, self.dtype)
        elif label == "pad" and (kwargs.get("mode") or (args[2] if len(args) > 2 else "")) not in PADDED:
            return call(*args, **kwargs)
        else:
            wanted = dtypes.float32
        return call(*_cast(args, wanted, self), **(_cast(kwargs, wanted, self) if kwargs else kwargs))


def _eligible(v: Any) -> bool:
    return isinstance(v, TensorBase) and (
        dtype_of(v) == _FLOAT32 or dtype_of(v) in (_HALVES[0].numpy, _HALVES[1].numpy)
    )


def _widest(value: Any, found: Any, lower: Any) -> Any:
    """Return the wider of `found` and what is in `value`; the lower precision is the only half of torch's."""
    if isinstance(value, (list, tuple)):
        for v in value:
            found = _widest(v, found, lower)
        return found
    if not _eligible(value):
        return found
    if dtypes.float32 in (found, value.dtype):
        return dtypes.float32
    if value.dtype is not lower:
        raise RuntimeError("Unexpected floating ScalarType in at::autocast::prioritize")
    return lower


def _cast(value: Any, wanted: Any, caster: _Caster) -> Any:
    if isinstance(value, (list, tuple)) and not hasattr(value, "_fields"):
        return type(value)(_cast(v, wanted, caster) for v in value)
    if isinstance(value, dict):
        return {name: _cast(v, wanted, caster) for name, v in value.items()}
    if not _eligible(value) or value.dtype is wanted:
        return value
    cache = _cache.get()
    weight = value._node is LEAF and value._view is None and dtype_of(value) == _FLOAT32
    if cache is None or not weight or wanted is not caster.dtype or not caster.caches:
        return value.to(wanted)
    key = id(value), modes().grad  # what was cast without a graph has no gradient to give
    found = cache.get(key)
    if found is None or found[0] is not value or found[1].dtype is not wanted:
        found = cache[key] = (value, value.to(wanted))
    return found[1]


def _known(device_type: Any) -> str:
    if type(device_type) is str and device_type in _DTYPES:
        return device_type
    if (kind := as_device(device_type).type) not in _DTYPES:
        raise RuntimeError("unsupported scalarType")
    return kind


def _follow(state: _State) -> None:
    """Put a state in force; calls look for it while it casts on the CPU."""
    was = modes().autocast is not None
    _state.set(state)
    on = "cpu" in state.enabled
    if on and not was:
        activate()
    change(autocast=_Caster(state.dtypes["cpu"], state.cache_enabled) if on else None)
    if was and not on:
        deactivate()


def _answering() -> _State:
    """Return the state, for a function that answers what it is."""
    if (asked := _asked.get()) is not None:
        asked.append(None)
    return _state.get()


def is_autocast_enabled(device_type: str = "cuda", /) -> bool:
    """Return whether autocast is on for a device's functions."""
    if (kind := as_device(device_type).type) not in _DTYPES:
        raise RuntimeError("unknown device type for autocast in get_autocast_dispatch_key_from_device_type")
    return kind in _answering().enabled


def set_autocast_enabled(device_type: Any, enabled: bool | None = None, /) -> None:
    """Switch autocast on or off for a device, CUDA where only the switch is given."""
    kind, on = ("cuda", device_type) if enabled is None else (_known(device_type), enabled)
    state = _state.get()
    _follow(state._replace(enabled=state.enabled | {kind} if on else state.enabled - {kind}))


def get_autocast_dtype(device_type: str, /) -> Any:
    """Return the lower precision of a device."""
    return _answering().dtypes[_known(device_type)]


def set_autocast_dtype(device_type: str, dtype: Any, /) -> None:
    """Choose the lower precision of a device."""
    state = _state.get()
    _follow(state._replace(dtypes={**state.dtypes, _known(device_type): dtype}))


def is_autocast_cache_enabled() -> bool:
    """Return whether the casts of weights are kept."""
    return _answering().cache_enabled


def set_autocast_cache_enabled(enabled: bool, /) -> None:
    """Keep the casts of weights, or do not."""
    _follow(_state.get()._replace(cache_enabled=enabled))


def clear_autocast_cache() -> None:
    """Forget the casts that were kept."""
    if (cache := _cache.get()) is not None:
        cache.clear()


def settings() -> tuple[Any, ...]:
    """Return what the functions of this module answer, as texts and truth values in order."""
    state = _state.get()
    return (state.cache_enabled, *sorted(state.enabled), *map(str, state.dtypes.values()))


@contextmanager
def traced_apart() -> Iterator[list[Any]]:
    """Keep casts apart from those outside for a ``with`` block: a trace must neither meet nor leave any.

    The list that it yields is no longer empty when the settings were asked for.
    """
    asked: list[Any] = []
    tokens = _cache.set(None if _cache.get() is None else {}), _asked.set(asked)
    try:
        yield asked
    finally:
        _cache.reset(tokens[0])
        _asked.reset(tokens[1])


def autocast_increment_nesting() -> int:
    """Enter one more region; the number of those now entered."""
    state = _state.get()
    if _cache.get() is None:
        _cache.set({})
    _state.set(state._replace(nesting=state.nesting + 1))
    return state.nesting + 1


def autocast_decrement_nesting() -> int:
    """Leave a region; the number of those still entered."""
    state = _state.get()
    _state.set(state._replace(nesting=state.nesting - 1))
    return state.nesting - 1


def _deprecated(name: str, instead: str) -> None:
    warn(f"torch.{name} is deprecated. Please use torch.{instead} instead.", DeprecationWarning)


def is_autocast_cpu_enabled() -> bool:
    """Return whether autocast is on for the CPU."""
    _deprecated("is_autocast_cpu_enabled()", "is_autocast_enabled('cpu')")
    return is_autocast_enabled("cpu")


def set_autocast_cpu_enabled(enabled: bool, /) -> None:
    """Switch autocast on or off for the CPU."""
    _deprecated("set_autocast_cpu_enabled(enabled)", "set_autocast_enabled('cpu', enabled)")
    set_autocast_enabled("cpu", enabled)


def get_autocast_cpu_dtype() -> Any:
    """Return the lower precision of the CPU."""
    _deprecated("get_autocast_cpu_dtype()", "get_autocast_dtype('cpu')")
    return get_autocast_dtype("cpu")


def set_autocast_cpu_dtype(dtype: Any, /) -> None:
    """Choose the lower precision of the CPU."""
    _deprecated("set_autocast_cpu_dtype(dtype)", "set_autocast_dtype('cpu', dtype)")
    set_autocast_dtype("cpu", dtype)


def get_autocast_gpu_dtype() -> Any:
    """Return the lower precision of CUDA."""
    _deprecated("get_autocast_gpu_dtype()", "get_autocast_dtype('cuda')")
    return get_autocast_dtype("cuda")


def set_autocast_gpu_dtype(dtype: Any, /) -> None:
    """Choose the lower precision of CUDA."""
    _deprecated("set_autocast_gpu_dtype(dtype)", "set_autocast_dtype('cuda', dtype)")
    set_autocast_dtype("cuda", dtype)


def is_autocast_available(device_type: str) -> bool:
    """Return whether a device's functions can be autocast."""
    return as_device(device_type).type in _DTYPES


class autocast:
    """A ``with`` block, or a decorated function, whose functions run in mixed precision.

    Parameters
    ----------
    device_type : str
        ``"cpu"``; for other devices, which are not there, it is off or does nothing.
    dtype : dtype, optional
        The lower precision: bfloat16, the default, or float16.
    enabled : bool
        Whether it is on; off, it switches an outer one off.
    cache_enabled : bool, optional
        Whether casts of weights are kept until the outermost block ends.
    """

    __module__ = "torch.amp.autocast_mode"

    def __init__(
        self, device_type: str, dtype: Any = None, enabled: bool = True, cache_enabled: bool | None = None
    ) -> None:
        _check_device_type(device_type)
        self.fast_dtype = get_autocast_dtype(device_type) if dtype is None else dtype
        self.device = device_type
        if device_type not in _DTYPES and not is_autocast_available(device_type):
            raise RuntimeError(f"User specified an unsupported autocast device_type '{device_type}'")
        self._cache_enabled = is_autocast_cache_enabled() if cache_enabled is None else cache_enabled
        if enabled and device_type == "cuda":
            warn("CUDA is not available or torch_xla is imported. Disabling autocast.")
            enabled = False
        elif enabled and self.fast_dtype not in _HALVES:
            warn(
                f"In {device_type.upper()} autocast, but the target dtype is not supported. Disabling "
                f"autocast.\n{device_type.upper()} Autocast only supports dtypes of torch.bfloat16, "
                "torch.float16 currently."
            )
            enabled = False
        self._enabled = enabled

    def __enter__(self) -> autocast:
        state, kind = _answering(), _known(self.device)
        self.prev_cache_enabled = state.cache_enabled
        self.prev = kind in state.enabled
        self.prev_fastdtype = state.dtypes[kind]
        autocast_increment_nesting()
        self._put(kind, self._enabled, self.fast_dtype, self._cache_enabled)
        return self

    def _put(self, kind: str, enabled: bool, dtype: Any, cached: bool) -> None:
        """Set all three settings at once: one by one, at both ends of a block, a block took 33 µs."""
        state = _state.get()
        on = state.enabled | {kind} if enabled else state.enabled - {kind}
        _follow(state._replace(enabled=on, dtypes={**state.dtypes, kind: dtype}, cache_enabled=cached))

    def __exit__(self, *_: object) -> None:
        if autocast_decrement_nesting() == 0:
            clear_autocast_cache()
        self._put(_known(self.device), self.prev, self.prev_fastdtype, self.prev_cache_enabled)

    def __call__(self, func: F) -> F:
        if not callable(func):
            raise TypeError(
                f"autocast()(func) requires a callable, but got {type(func).__name__}. Did you mean to use "
                "autocast as a context manager? For example:\n    with torch.autocast(device_type=...):\n"
                "        output = model(input)"
            )

        @functools.wraps(func)
        def decorated(*args: Any, **kwargs: Any) -> Any:
            with self:
                return func(*args, **kwargs)

        return cast("F", decorated)


def _cast_inputs(value: Any, device_type: str, dtype: Any) -> Any:
    """Cast the tensors in containers, but no float64."""
    if isinstance(value, TensorBase):
        tensor: Any = value
        fits = tensor.is_floating_point() and tensor.device.type == device_type
        return tensor.to(dtype) if fits and tensor.dtype is not dtypes.float64 else tensor
    if isinstance(value, Mapping):
        return {key: _cast_inputs(v, device_type, dtype) for key, v in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(_cast_inputs(v, device_type, dtype) for v in value)
    return value


def _check_device_type(device_type: Any) -> None:
    if not isinstance(device_type, str):
        raise ValueError(f"Expected `device_type` of type `str`, got: `{type(device_type)}`")


@overload
def custom_fwd(fwd: F, *, device_type: str, cast_inputs: Any = None) -> F: ...
@overload
def custom_fwd(fwd: None = None, *, device_type: str, cast_inputs: Any = None) -> Callable[[F], F]: ...
def custom_fwd(fwd: Any = None, *, device_type: str, cast_inputs: Any = None) -> Any:
    """Decorate the `forward` of a Function: it runs under the autocast of its call, or in one precision.

    Parameters
    ----------
    fwd : callable, optional
        Without it, the result decorates.
    device_type : str
    cast_inputs : dtype, optional
        What floating-point arguments are cast to under autocast, which is then off in `forward`.
    """
    _check_device_type(device_type)
    if fwd is None:
        return functools.partial(custom_fwd, device_type=device_type, cast_inputs=cast_inputs)

    @functools.wraps(fwd)
    def decorated(*args: Any, **kwargs: Any) -> Any:
        args[0]._dtype_of_autocast = get_autocast_dtype(device_type)
        on = is_autocast_enabled(device_type)
        args[0]._fwd_used_autocast = on and cast_inputs is None
        if cast_inputs is None or not on:
            return fwd(*args, **kwargs)
        with autocast(device_type, enabled=False):
            return fwd(
                *_cast_inputs(args, device_type, cast_inputs),
                **_cast_inputs(kwargs, device_type, cast_inputs)
            )

    return decorated


@overload
def custom_bwd(bwd: F, *, device_type: str) -> F: ...
@overload
def custom_bwd(bwd: None = None, *, device_type: str) -> Callable[[F], F]: ...
def custom_bwd(bwd: Any = None, *, device_type: str) -> Any:
    """Decorate the `backward` of a Function: it runs under the autocast that `forward` ran under.

    Parameters
    ----------
    bwd : callable, optional
        Without it, the result decorates.
    device_type : str
    """
    _check_device_type(device_type)
    if bwd is None:
        return functools.partial(custom_bwd, device_type=device_type)

    @functools.wraps(bwd)
    def decorated(*args: Any, **kwargs: Any) -> Any:
        context = args[0]
        with autocast(device_type, dtype=context._dtype_of_autocast, enabled=context._fwd_used_autocast):
            return bwd(*args, **kwargs)

    return decorated
