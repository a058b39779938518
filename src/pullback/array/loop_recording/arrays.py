"""Arrays that tell a recorder what is done with them, and refuse what it cannot note."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy import ndarray

from .steps import Unrecorded

if TYPE_CHECKING:
    from .recorder import Recorder

#: Functions of NumPy's that are no ufuncs, nor made of those and of views: what does them and notes it
#: (`recorder`).
FUNCTIONS: dict[Any, Callable[..., Any]] = {}
#: Functions of NumPy's that look at no elements, or by ufuncs alone.
_TRANSPARENT = frozenset({
    np.all, np.amax, np.amin, np.any, np.atleast_1d, np.atleast_2d, np.clip, np.diff,
    np.expand_dims, np.flip, np.iscomplexobj, np.max, np.may_share_memory, np.mean,
    np.min, np.moveaxis, np.ndim, np.prod, np.ravel, np.reshape, np.result_type, np.roll, np.shape,
    np.shares_memory, np.size, np.split, np.squeeze, np.std, np.sum, np.swapaxes, np.transpose, np.var,
})  # fmt: skip
#: Methods with which Python reads elements, or writes to them.
_LOOKS = frozenset({
    "__bool__", "__bytes__", "__complex__", "__contains__", "__float__", "__getitem__", "__index__",
    "__int__", "__reduce__", "__reduce_ex__", "__setitem__",
})  # fmt: skip


class Recorded(ndarray):
    """An array that tells of the ufuncs that are called with it."""

    recorder: Recorder | None

    def __array_finalize__(self, source: Any) -> None:
        self.recorder = getattr(source, "recorder", None)

    def __new__(cls, shape: Any, dtype: Any, buffer: Any, offset: int = 0, strides: Any = None) -> Any:
        """Return a view of an array's memory."""
        made = super().__new__(cls, shape, dtype, buffer, offset, strides)
        made.recorder = buffer.recorder
        return made

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **named: Any) -> Any:
        recorder = next(v.recorder for v in (*inputs, *named.get("out", ())) if type(v) is Recorded)
        if recorder is None or recorder.is_over:
            plain = {key: tuple(map(plain_of, v)) if key == "out" else v for key, v in named.items()}
            return getattr(ufunc, method)(*map(plain_of, inputs), **plain)
        recorder.admit(*inputs, *named.get("out", ()), named.get("where"))
        return recorder.add(ufunc, method, [*map(plain_of, inputs)], named)

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        if (recorder := self.recorder) is not None and not recorder.is_over:
            recorder.admit(*args, *kwargs.values())
            if function in FUNCTIONS:
                return FUNCTIONS[function](recorder, *args, **kwargs)
            if function not in _TRANSPARENT:
                raise Unrecorded(f"numpy.{function.__name__}")
        return super().__array_function__(function, types, args, kwargs)

    def __setitem__(self, key: Any, value: Any) -> None:
        if type(key) is Recorded and key.dtype.kind == "b" and key.shape == self.shape:
            _asked(self).copy_to(self, value, where=key)
            return
        if type(key) is tuple and {*map(type, key)} == {int}:
            key = (*key, ...)  # of one element a view, too
        if not (part := ndarray.__getitem__(self, key)).size:
            return
        if not np.may_share_memory(part, self):
            FUNCTIONS[ndarray.__setitem__](_asked(self), self, key, value)
            return
        _asked(self).copy_to(part, value)

    def __getitem__(self, key: Any) -> Any:
        made = ndarray.__getitem__(self, key)
        if np.may_share_memory(made, self) and isinstance(made, ndarray):
            return made
        if type(key) is Recorded and key.dtype.kind == "i":
            return self.take(key, 0)
        if any(type(part) is Recorded for part in (key if type(key) is tuple else (key,))):
            return FUNCTIONS[ndarray.__getitem__](_asked(self), self, key)
        return _asked(self).move(self, lambda places: places[key])

    def leave_to_native(self, name: str) -> None:
        """Refuse what a native loop is asked for, in whose place NumPy's loops would be played."""
        if self.recorder is not None and not self.recorder.is_over:
            raise Unrecorded(f"a native loop for {name}")

    def astype(self, dtype: Any, *args: Any, copy: bool = True, **named: Any) -> Any:  # type: ignore[override]
        """Return the elements in another dtype."""
        if self.dtype != dtype:
            return _asked(self).cast(self, np.dtype(dtype))
        return self.copy("K") if copy else self

    def dot(self, other: Any, out: Any = None) -> Any:
        """Return a product of matrices or vectors."""
        return _asked(self).multiply(plain_of(self), plain_of(other), out)

    def copy(self, order: Any = "C") -> Any:
        """Return a copy."""
        out = _asked(self).own(np.empty_like(plain_of(self), order=order))
        _asked(self).copy_to(out, self)
        return out

    def reshape(self, *shape: Any, **named: Any) -> Any:
        """Return a view of another shape, or a copy."""
        made = super().reshape(*shape, **named)
        if np.may_share_memory(made, self) or not made.size:
            return made
        return self.copy().reshape(*shape, **named)

    def fill(self, value: Any) -> None:
        """Set all elements to a number."""
        _asked(self).copy_to(self, value)

    def ravel(self, order: Any = "C") -> Any:
        """Return the elements in a row."""
        return self.reshape(-1, order=order)

    def take(self, indices: Any, axis: Any = None, out: Any = None, mode: str = "raise") -> Any:
        """Return elements at indices."""
        return FUNCTIONS[np.take](_asked(self), self, indices, axis, out, mode)

    def argmax(self, *args: Any, **named: Any) -> Any:
        """Return the places of the largest elements."""
        return FUNCTIONS[np.argmax](_asked(self), self, *args, **named)

    def argsort(self, *args: Any, **named: Any) -> Any:
        """Return the places of the elements in their order."""
        return FUNCTIONS[np.argsort](_asked(self), self, *args, **named)

    def argmin(self, *args: Any, **named: Any) -> Any:
        """Return the places of the least elements."""
        return FUNCTIONS[np.argmin](_asked(self), self, *args, **named)

    def __bool__(self) -> bool:
        truth = self if self.dtype.kind == "b" else self != 0
        return bool(_asked(self).decide(plain_of(truth)))

    def __int__(self) -> int:
        return int(_asked(self).decide(plain_of(self)))


def _while_it_tells(name: str, served: Callable[..., Any] | None) -> Callable[..., Any]:
    """Return a method of arrays as it is, but for what is done instead while calls are recorded."""
    usual = getattr(ndarray, name)

    def method(self: Recorded, *args: Any, **named: Any) -> Any:
        if self.recorder is None or self.recorder.is_over:
            return usual(self, *args, **named)
        if served is None:
            raise Unrecorded(f"ndarray.{name}")
        return served(self, *args, **named)

    return method


#: Methods that look at no elements, or by ufuncs alone.
_BY_UFUNCS = frozenset({
    "all", "any", "clip", "conj", "conjugate", "diagonal", "max", "mean", "min", "prod", "setflags",
    "squeeze", "std", "sum", "swapaxes", "transpose", "var", "view",
})  # fmt: skip
for _name in {*dir(ndarray)} - _BY_UFUNCS:
    if callable(getattr(ndarray, _name)) and (not _name.startswith("_") or _name in _LOOKS):
        setattr(Recorded, _name, _while_it_tells(_name, vars(Recorded).get(_name)))


def plain_of(value: Any) -> Any:
    """Return an array that tells nothing in place of one that does."""
    return value.view(ndarray) if type(value) is Recorded else value


def _asked(array: Recorded) -> Recorder:
    assert array.recorder is not None
    return array.recorder
