"""Say whether values are close, and if not, where and by how much.

Sequences and mappings are compared item by item down to pairs of None, booleans, numbers or tensors; the
first pair that differs is told with the place it has in them.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, NoReturn

import numpy as np

from ...array import dtypes
from ...core.value import array_of
from ...core.warn import warn
from ...tensor.closeness import isclose
from ...tensor.interchange import from_numpy
from ...tensor.tensor import Tensor

#: Relative and absolute tolerance of each dtype; others are compared for equality.
_TOLERANCES = {
    dtypes.float16: (1e-3, 1e-5),
    dtypes.bfloat16: (1.6e-2, 1e-5),
    dtypes.float32: (1.3e-6, 1e-5),
    dtypes.float64: (1e-7, 1e-7),
    dtypes.complex32: (1e-3, 1e-5),
    dtypes.complex64: (1.3e-6, 1e-5),
    dtypes.complex128: (1e-7, 1e-7),
}
#: Those of `assert_allclose`.
_OLD_TOLERANCES = {dtypes.float16: (1e-3, 1e-3), dtypes.float32: (1e-4, 1e-5), dtypes.float64: (1e-5, 1e-8)}
_DTYPE_OF_NUMBER = {int: dtypes.int64, float: dtypes.float64, complex: dtypes.complex128}

Item = tuple[Any, ...]
Message = str | Callable[[str], str] | None


class _Options(NamedTuple):
    """Hold the options of a comparison; `assert_close` has the meaning of each."""

    allow_subclasses: bool
    rtol: float | None
    atol: float | None
    equal_nan: bool
    check_device: bool
    check_dtype: bool
    check_layout: bool
    check_stride: bool
    msg: Message


class _Unsupported(Exception):
    """A pair of other kinds of values."""


def _place(item: Item) -> str:
    return "".join(f"[{key!r}]" for key in item)


def _fail(kind: type[Exception], text: str, item: Item, options: _Options | None = None) -> NoReturn:
    if item:
        text += f"\n\nThe failure occurred for item {_place(item)}"
    if options is not None and options.msg is not None:
        text = options.msg(text) if callable(options.msg) else options.msg
    raise kind(text)


# --- pairs --------------------------------------------------------------------------------------------------


def _tolerances(inputs: Sequence[Any], options: _Options, item: Item) -> tuple[float, float]:
    rtol, atol = options.rtol, options.atol
    if (rtol is None) != (atol is None):
        missing = "atol" if atol is None else "rtol"
        _fail(
            ValueError,
            f"Both 'rtol' and 'atol' must be either specified or omitted, but got no {missing}.", item,
        )
    if rtol is not None and atol is not None:
        return rtol, atol
    found = [_TOLERANCES.get(dtype, (0.0, 0.0)) for dtype in inputs]
    return max(r for r, _ in found), max(a for _, a in found)


def _compare_none(actual: Any, expected: Any, item: Item, options: _Options) -> None:
    if actual is not None and expected is not None:
        raise _Unsupported
    if not (actual is None and expected is None):
        _fail(AssertionError, f"None mismatch: {actual} is not {expected}", item, options)


def _compare_booleans(actual: Any, expected: Any, item: Item, options: _Options) -> None:
    if not all(isinstance(v, bool | np.bool_) for v in (actual, expected)):
        raise _Unsupported
    if bool(actual) is not bool(expected):
        _fail(AssertionError, f"Booleans mismatch: {bool(actual)} is not {bool(expected)}", item, options)


def _compare_numbers(actual: Any, expected: Any, item: Item, options: _Options) -> None:
    numbers = (int, float, complex, np.number)
    if not all(isinstance(v, numbers) for v in (actual, expected)):
        raise _Unsupported
    if any(isinstance(v, bool) for v in (actual, expected)):
        raise RuntimeError(
            f"Originating a NumberPair() at item {_place(item)} with\n\n{type(actual).__name__}(): "
            f"{actual}\n\nand\n\n{type(expected).__name__}(): {expected}\n\nresulted in the unexpected "
            "exception above. If you are a user and see this message during normal operation please file an "
            "issue at https://github.com/pytorch/pytorch/issues. If you are a developer and working on the "
            "comparison functions, please except the previous error and raise an expressive `ErrorMeta` "
            "instead."
        )
    actual, expected = (v.item() if isinstance(v, np.number) else v for v in (actual, expected))
    rtol, atol = _tolerances([_DTYPE_OF_NUMBER[type(v)] for v in (actual, expected)], options, item)
    if options.check_dtype and type(actual) is not type(expected):
        _fail(
            AssertionError, f"The (d)types do not match: {type(actual)} != {type(expected)}.", item, options
        )
    if actual == expected or (options.equal_nan and actual != actual and expected != expected):
        return
    gap = abs(actual - expected)
    if not (np.isfinite(gap) and gap <= atol + rtol * abs(expected)):
        _fail(AssertionError, _numbers_differ(actual, expected, rtol, atol), item, options)


def _compare_tensors(actual: Any, expected: Any, item: Item, options: _Options) -> None:
    related = isinstance(actual, type(expected)) or isinstance(expected, type(actual))
    if not related or (not options.allow_subclasses and type(actual) is not type(expected)):
        raise _Unsupported
    actual, expected = _as_tensor(actual), _as_tensor(expected)
    rtol, atol = _tolerances([actual.dtype, expected.dtype], options, item)
    for name, checked in (
        ("shape", True), ("layout", options.check_layout),
        ("stride()", options.check_stride and not actual._sparse),
        ("device", options.check_device), ("dtype", options.check_dtype),
    ):
        mine, theirs = (
            None if not checked else v.stride() if name == "stride()" else getattr(v, name)
            for v in (actual, expected)
        )
        if checked and mine != theirs:
            _fail(
                AssertionError, f"The values for attribute '{name}' do not match: {mine} != {theirs}.", item,
                options,
            )
    if any(v.device.type == "meta" for v in (actual, expected)):
        return
    actual, expected = actual.detach(), expected.detach()
    if actual._sparse:
        _compare_sparse(actual, expected, item, options)
        return
    if actual.dtype != expected.dtype:
        dtype = dtypes.promote_types(*(_signed(v.dtype) for v in (actual, expected)))
        actual, expected = actual.to(dtype), expected.to(dtype)
    matches = isclose(actual, expected, rtol=rtol, atol=atol, equal_nan=options.equal_nan)
    if bool(array_of(matches).all()):
        return
    if actual.shape == ():
        text = _numbers_differ(actual.item(), expected.item(), rtol, atol)
    else:
        text = _tensors_differ(actual, expected, array_of(matches), rtol, atol)
    _fail(AssertionError, text, item, options)


def _compare_sparse(actual: Any, expected: Any, item: Item, options: _Options) -> None:
    """Compare the parts of sparse tensors of one layout."""
    short = str(actual.layout).rpartition("_")[2].upper()
    title = f"Sparse {short}"
    if actual._nnz() != expected._nnz():
        _fail(
            AssertionError,
            f"The number of specified values in sparse {short} tensors does not match: {actual._nnz()} != "
            f"{expected._nnz()}", item, options,
        )  # fmt: skip
    if actual.is_sparse:
        names = ["_indices", "_values"]
    else:
        by_rows = str(actual.layout).endswith("sr")
        names = ["crow_indices", "col_indices"] if by_rows else ["ccol_indices", "row_indices"]
        names.append("values")
    for name in names:
        mine, theirs = getattr(actual, name)(), getattr(expected, name)()
        rtol, atol = _tolerances([mine.dtype, theirs.dtype], options, item)
        if name.lstrip("_") != "values":
            rtol = atol = 0.0
        elif mine.dtype != theirs.dtype:
            common = dtypes.promote_types(mine.dtype, theirs.dtype)
            mine, theirs = mine.to(common), theirs.to(common)
        matches = array_of(isclose(mine, theirs, rtol=rtol, atol=atol, equal_nan=options.equal_nan))
        if not matches.all():
            text = _tensors_differ(mine, theirs, matches, rtol, atol)
            _fail(AssertionError, text.replace("Tensor-likes", f"{title} {name.lstrip('_')}"), item, options)


def _as_tensor(value: Any) -> Any:
    if isinstance(value, Tensor):
        return value
    if not isinstance(value, np.ndarray | np.generic):
        raise _Unsupported
    try:
        return from_numpy(np.array(value))
    except TypeError:
        raise _Unsupported from None


def _signed(dtype: Any) -> Any:
    return dtypes.int64 if dtype in (dtypes.uint16, dtypes.uint32, dtypes.uint64) else dtype


# --- what is told ------------------------------------------------------------------------------------------


def _difference(kind: str, value: Any, allowed: str, place: Any = None) -> str:
    text = f"{kind} difference: {value}"
    if place is not None:
        text = f"Greatest {text[0].lower()}{text[1:]} at index {place}"
    return text + allowed


def _allowed(rtol: float, atol: float) -> tuple[str, str]:
    """Return the lines about the absolute and the relative tolerance: none where equality was asked for."""
    if rtol == 0 and atol == 0:
        return "", ""
    return f" (up to {atol} allowed)", f" (up to {rtol} allowed)"


def _head(what: str, rtol: float, atol: float) -> str:
    return f"{what} are not {'equal' if rtol == 0 and atol == 0 else 'close'}!\n\n"


def _numbers_differ(actual: Any, expected: Any, rtol: float, atol: float) -> str:
    gap = abs(actual - expected)
    relative = float("inf") if expected == 0 else gap / abs(expected)
    absolute_allowed, relative_allowed = _allowed(rtol, atol)
    return (
        _head("Scalars", rtol, atol) + f"Expected {expected} but got {actual}.\n"
        + _difference("Absolute", gap, absolute_allowed) + "\n"
        + _difference("Relative", relative, relative_allowed)
    )  # fmt: skip


def _tensors_differ(actual: Any, expected: Any, matches: np.ndarray, rtol: float, atol: float) -> str:
    if not actual.is_floating_point() and not actual.is_complex():
        actual, expected = actual.to(dtypes.int64), expected.to(dtypes.int64)
    gaps = (actual - expected).abs()
    ratios = gaps / expected.abs()
    count, wrong = matches.size, int(matches.size - matches.sum())
    lines = [f"Mismatched elements: {wrong} / {count} ({wrong / count:.1%})"]
    absolute_allowed, relative_allowed = _allowed(rtol, atol)
    for kind, differences, allowed in (
        ("Absolute", gaps, absolute_allowed), ("Relative", ratios, relative_allowed)
    ):
        found = array_of(differences).copy()
        found[matches] = 0
        flat = found.ravel()
        nans = np.isnan(flat) if flat.dtype.kind in "fcVW" else np.zeros(flat.shape, bool)
        best = int(nans.argmax()) if nans.any() else int(flat.argmax())
        place = tuple(int(k) for k in np.unravel_index(best, found.shape))
        value = flat[best]
        told = float(value) if flat.dtype.kind in "fV" else value.item()
        lines.append(_difference(kind, told, allowed, place))
    return _head("Tensor-likes", rtol, atol) + "\n".join(lines)


# --- containers --------------------------------------------------------------------------------------------


def _pairs(actual: Any, expected: Any, item: Item, options: _Options) -> Iterator[tuple[Any, Any, Item]]:
    """Yield the innermost pairs of two values, each with the keys that lead to it."""
    text = (str, bytes)
    if all(isinstance(v, Sequence) and not isinstance(v, text) for v in (actual, expected)):
        if len(actual) != len(expected):
            _fail(
                AssertionError, f"The length of the sequences mismatch: {len(actual)} != {len(expected)}",
                item, options,
            )
        for position, pair in enumerate(zip(actual, expected)):
            yield from _pairs(*pair, (*item, position), options)
    elif all(isinstance(v, Mapping) for v in (actual, expected)):
        if set(actual) != set(expected):
            missing, extra = set(expected) - set(actual), set(actual) - set(expected)
            lines = ["The keys of the mappings do not match:"]
            lines += [f"Missing keys in the actual mapping: {_sorted(missing)}"] if missing else []
            lines += [f"Additional keys in the actual mapping: {_sorted(extra)}"] if extra else []
            _fail(AssertionError, "\n".join(lines), item, options)
        for key in _sorted(actual):
            yield from _pairs(actual[key], expected[key], (*item, key), options)
    else:
        yield actual, expected, item


def _sorted(keys: Any) -> list[Any]:
    try:
        return sorted(keys)
    except TypeError:
        return list(keys)


_COMPARISONS = (_compare_none, _compare_booleans, _compare_numbers, _compare_tensors)


def _compare(actual: Any, expected: Any, item: Item, options: _Options) -> None:
    for comparison in _COMPARISONS:
        try:
            comparison(actual, expected, item, options)
        except _Unsupported:
            continue
        return
    _fail(
        TypeError,
        f"No comparison pair was able to handle inputs of type {type(actual)} and {type(expected)}.", item,
    )


def assert_close(
    actual: Any, expected: Any, *, allow_subclasses: bool = True, rtol: float | None = None,
    atol: float | None = None, equal_nan: bool = False, check_device: bool = True, check_dtype: bool = True,
    check_layout: bool = True, check_stride: bool = False, msg: Message = None,
) -> None:
    """Raise an AssertionError that says how, where two values are not close.

    Numbers, and the elements of tensors and arrays, are close where
    ``|actual − expected| ≤ atol + rtol·|expected|``. Sequences and mappings are compared item by item.

    Parameters
    ----------
    actual, expected
        Of one kind.
    allow_subclasses : bool
        Whether a subclass is compared with its base.
    rtol, atol : float, optional
        Both or neither; without them they follow from the dtypes, and integers are compared for equality.
    equal_nan : bool
        Whether two nans are equal.
    check_device, check_dtype, check_layout : bool
        Whether these must agree; dtypes that need not are promoted to a common one.
    check_stride : bool
        Whether strides must agree.
    msg : str or callable, optional
        The error's text, or what makes it of the one that would be told.

    Raises
    ------
    AssertionError
        Where the values are not close.
    TypeError
        Where there is no telling for values of these types.
    ValueError
        Where only one tolerance is given.
    """
    options = _Options(
        allow_subclasses, rtol, atol, equal_nan, check_device, check_dtype, check_layout, check_stride, msg
    )
    for pair in list(_pairs(actual, expected, (), options)):
        _compare(*pair, options)


def assert_allclose(
    actual: Any, expected: Any, rtol: float | None = None, atol: float | None = None, equal_nan: bool = True,
    msg: str = "",
) -> None:
    """Raise an AssertionError where two tensors are not close; the older function, with looser tolerances."""
    warn(
        "`torch.testing.assert_allclose()` is deprecated since 1.12 and will be removed in a future release. "
        "Please use `torch.testing.assert_close()` instead. You can find detailed upgrade instructions in "
        "https://github.com/pytorch/pytorch/issues/61844.", FutureWarning
    )
    actual, expected = (v if isinstance(v, Tensor) else from_numpy(np.asarray(v)) for v in (actual, expected))
    if rtol is None and atol is None:
        found = [_OLD_TOLERANCES.get(v.dtype, (0.0, 0.0)) for v in (actual, expected)]
        rtol, atol = max(r for r, _ in found), max(a for _, a in found)
    assert_close(
        actual, expected, rtol=rtol, atol=atol, equal_nan=equal_nan, check_dtype=False, msg=msg or None
    )
