"""Spoils right calls, one thing at a time: dtypes, shapes, kinds of arguments, their number, their range."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from .call import DTYPES, Call, Code, T

#: What is given where a tensor is wanted.
NO_TENSORS = (None, "a", 3, 1.5, 2j, True, [1.0, 2.0], (), Code("torch.float32"), Code("np.ones(2)"))
#: What is given where anything else is wanted.
OTHERS = (
    None,
    "a",
    0,
    1,
    -1,
    7,
    -7,
    1.5,
    -0.5,
    2j,
    True,
    [],
    [1],
    [0, 0],
    (1, -2),
    (7, 8),
    [1.5],
    ["a"],
    2**40 + 3,
    2**63,
    -(2**70),
    Code("inf"),
    Code("nan"),
    Code("torch.float32"),
    Code("torch.int64"),
    T("int64", (), (1,)),
    T("int64", (), (9,)),
    T("float32", ()),
    T("float32", (2,)),
)
#: Sizes so large that a module may try to make what they say are left to the functions that refuse them.
LARGE = frozenset({2**40 + 3, 2**63, -(2**70)})
CREATING = (
    "ones",
    "zeros",
    "empty",
    "full",
    "eye",
    "rand",
    "pad",
    "repeat",
    "tri",
    "arange",
    "space",
    "window",
    "expand",
    "resize",
    "strided",
    "one_hot",
    "bincount",
    "hist",
    "interp",
    "upsample",
    "vander",
    "tile",
    "roll",
    "poly",
    "matrix_power",
    "cosine",
    "gaussian",
    "hann",
    "hamming",
    "kaiser",
    "blackman",
    "nuttall",
    "bartlett",
    "exponential",
    "fft",
    "stft",
    "pool",
    "combinations",
    "diag",
    "unfold",
    "fold",
    "multinomial",
    "normal",
    "cartesian",
    "grid",
    "dropout",
    "new_",
    "chunk",
    "tensor_split",
)


def shapes(shape: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """Shapes that do not go with one."""
    yield ()
    yield (0,)
    yield (7,)
    yield (2, *shape)
    yield (1, 2, 1, *shape)
    if shape:
        yield shape[1:]
        yield shape[:-1]
        yield (*shape[:-1], shape[-1] + 1)
        yield (shape[0] + 2, *shape[1:])
        yield (0, *shape[1:])
        yield (*shape[:-1], 0)


def integral(tensor: T) -> bool:
    """Whether a tensor may be one of places."""
    return tensor.dtype in ("int64", "int32") and tensor.values is not None


def spoilt_tensor(tensor: T) -> Iterator[Any]:
    """A tensor spoilt in every way, and what is no tensor."""
    for dtype in DTYPES:
        if dtype != tensor.dtype:
            yield tensor.cast(dtype)
    for shape in shapes(tensor.shape):
        if shape != tensor.shape:
            yield tensor.shaped(shape)
    if integral(tensor) and tensor.values:
        for wrong in (-1, 99, -99, 3):
            yield replace(tensor, values=(wrong, *tensor.values[1:]))
    yield from NO_TENSORS


def all_cast(call: Call, dtype: str, only: str | None = None) -> Call:
    """The call with all its tensors, or those of one dtype, in another."""

    def cast(value: Any) -> Any:
        if isinstance(value, T):
            return value.cast(dtype) if only in (None, value.dtype) else value
        if isinstance(value, (list, tuple)):
            return type(value)(map(cast, value))
        return value

    return replace(call, args=tuple(map(cast, call.args)), kwargs=tuple((k, cast(v)) for k, v in call.kwargs))


def large_allowed(call: Call) -> bool:
    return not any(word in call.path for word in CREATING)


def wrong_calls(call: Call) -> Iterator[Call]:
    """Every way in which a call is spoilt, the call itself first."""
    yield call
    kinds = {v.dtype for _, v in call.places() if isinstance(v, T)}
    for dtype in DTYPES:
        if kinds:
            yield all_cast(call, dtype)
        if len(kinds) > 1:
            yield all_cast(call, dtype, "float32")
    for place, value in call.places():
        if isinstance(value, T):
            spoilt: Iterator[Any] = spoilt_tensor(value)
        elif isinstance(value, (list, tuple)) and value and isinstance(value[0], T):
            spoilt = iter(
                [[], [*value, 3], [None], value[0], *([*value[:-1], w] for w in spoilt_tensor(value[-1]))]
            )
        else:
            spoilt = (
                w
                for w in OTHERS
                if isinstance(w, (T, Code, list, tuple)) or w not in LARGE or large_allowed(call)
            )
        for wrong in spoilt:
            if call.path.startswith(".") and place == 0 and not isinstance(wrong, T):
                continue
            yield call.with_argument(place, wrong)
    own = 1 if call.path.startswith(".") else 0
    for count in range(own, len(call.args)):
        yield replace(call, args=call.args[:count])
    for name, _ in call.kwargs:
        yield replace(call, kwargs=tuple(item for item in call.kwargs if item[0] != name))
    yield replace(call, args=(*call.args, 1))
    yield replace(call, args=(*call.args, T("float32", (2,)), None, 3, 4, 5, 6, 7, 8, 9))
    yield replace(call, kwargs=(*call.kwargs, ("wrong", 1)))
    for name, value in (("dim", 9), ("dim", "a"), ("dtype", "float32"), ("out", "a")):
        if name not in dict(call.kwargs):
            yield replace(call, kwargs=(*call.kwargs, (name, value)))
    if call.path.startswith("torch."):
        for dtype, shape in (("float32", (3,)), ("int64", (0,)), ("bool", (2, 2)), ("complex64", ())):
            yield replace(call, kwargs=(*call.kwargs, ("out", T(dtype, shape))))
