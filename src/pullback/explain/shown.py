"""Show an array: all elements of a small one, figures and corners of a large one.

An explanation is kept, printed and sent as JSON, so it must not hold arrays whose size the user's problem
decides: from `LARGEST` elements on a value is its smallest, largest and mean element, its norm, how many
elements are zero, NaN or infinite, and the corners that torch prints.
"""

import functools
from dataclasses import Field, dataclass, fields
from typing import Any, ClassVar

import numpy as np
from numpy import ndarray

#: Elements of the largest value that is shown whole.
LARGEST = 1000

#: Elements at each end of an axis in the corner of a large value, as torch prints them.
EDGE = 3


@dataclass(frozen=True)
class Shown:
    """A value as it is shown.

    Attributes
    ----------
    shape : tuple of int
    dtype : str
        torch's name without "torch.".
    array : ndarray or None
        A copy of the value where it is shown whole.
    summary : dict or None
        Figures of a value that is not: min, max, mean, norm, zeros, nan, inf.
    corner : ndarray or None
        The first and last three elements along each axis of such a value.
    """

    shape: tuple[int, ...]
    dtype: str
    array: ndarray | None
    summary: dict[str, float] | None = None
    corner: ndarray | None = None

    @property
    def norm(self) -> float:
        """Return the Euclidean length of the value."""
        return norm(self.array) if self.array is not None else (self.summary or {})["norm"]

    def to_dict(self) -> dict[str, Any]:
        """Return the value as plain lists and numbers."""
        if self.array is not None:
            return {"shape": list(self.shape), "dtype": self.dtype, "data": plain(self.array)}
        return {
            "shape": list(self.shape),
            "dtype": self.dtype,
            "summary": {name: plain_number(value) for name, value in (self.summary or {}).items()},
            "corner": None if self.corner is None else plain(self.corner),
        }


def show(value: Any, largest: int = LARGEST) -> Shown:
    """Return what is shown of an array, whole up to `largest` elements; copied: it may be written to."""
    array = np.asarray(value)
    if array.size <= largest:
        return Shown(array.shape, dtype_name(array.dtype), array.copy())
    return Shown(array.shape, dtype_name(array.dtype), None, figures(array), corner(array))


#: Return the name of a dtype. NumPy puts it together anew each time, in 10 µs.
dtype_name = functools.cache(str)


def dims(shape: tuple[int, ...]) -> str:
    """Return a shape as it is written."""
    return f"({', '.join(map(str, shape))}{',' if len(shape) == 1 else ''})"


def norm(value: Any) -> float:
    """Return the Euclidean length of an array, computed in double precision."""
    wide = widened(np.asarray(value)).ravel()
    with np.errstate(all="ignore"):
        return float(np.sqrt(np.vdot(wide, wide).real))


def widened(array: ndarray) -> ndarray:
    """Return the array in float64 or complex128: the narrow dtypes know few functions."""
    return array.astype(np.complex128 if array.dtype.kind in "cW" else np.float64, copy=False)


def figures(array: ndarray) -> dict[str, float]:
    """Return the smallest, largest and mean element, norm, and counts; of complex values by magnitude."""
    with np.errstate(all="ignore"):
        wide = widened(array)
        sizes = np.abs(wide) if wide.dtype.kind == "c" else wide
        length = norm(wide)
        finite = np.isfinite(length)  # then each element is
        return {
            "min": float(sizes.min()),
            "max": float(sizes.max()),
            "mean": float(sizes.mean()),
            "norm": length,
            "zeros": int(wide.size - np.count_nonzero(wide)),
            "nan": 0 if finite else int(np.isnan(wide).sum()),
            "inf": 0 if finite else int(np.isinf(wide).sum()),
        }


def corner(array: ndarray) -> ndarray:
    """Return the first and last elements along each axis, of axes before the last four the first alone."""
    array = array[(0,) * max(array.ndim - 4, 0)]
    for axis, size in enumerate(array.shape):
        if size > 2 * EDGE:
            array = np.take(array, [*range(EDGE), *range(size - EDGE, size)], axis)
    return array.copy()


def plain(array: ndarray) -> Any:
    """Return nested lists of numbers; NaN and infinities as words, complex numbers as pairs."""
    if array.dtype.kind in "biu":
        return array.tolist()
    wide = widened(array)
    if wide.dtype.kind != "c" and bool(np.isfinite(wide).all()):
        return wide.tolist()
    return _plain_lists(wide.tolist())


def _plain_lists(value: Any) -> Any:
    return [_plain_lists(v) for v in value] if isinstance(value, list) else plain_number(value)


class Plain:
    """Data whose fields JSON can hold one by one."""

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as plain data."""
        return {field.name: plain_data(getattr(self, field.name)) for field in fields(self)}


def plain_data(value: Any) -> Any:
    """Return a number, a text, data with fields, an array, or a list of such as JSON can hold it."""
    if isinstance(value, (list, tuple)):
        return [plain_data(v) for v in value]
    if isinstance(value, ndarray):
        return plain(value)
    return value.to_dict() if hasattr(value, "to_dict") else plain_number(value)


def plain_number(value: Any) -> Any:
    """Return a number as JSON can hold it."""
    if isinstance(value, complex):
        return [plain_number(value.real), plain_number(value.imag)]
    if isinstance(value, float) and not np.isfinite(value):
        return "nan" if value != value else "inf" if value > 0 else "-inf"
    return value
