"""torch's dtypes and how they meet.

What this module must do:

- hold one immutable object per dtype, each naming the NumPy dtype that stores it;
- keep the process-wide default dtype, always read through a function because it can change;
- answer which dtype results when operands meet, by torch's rule and not NumPy's: tensors with dimensions
  outrank zero-dimensional tensors, which outrank Python numbers.

The names of the dtypes hide Python's `bool`, `int` and `float` here; those are written with ``builtins.``.

NumPy has no half-precision complex type; that of ml_dtypes stands for complex32. Its kind is ``W`` where that
of NumPy's complex types is ``c``.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Any, NoReturn

import ml_dtypes
import numpy as np

from ..errors import argument_type, read_only_attribute, with_note
from . import process

BOOL, INTEGER, FLOATING, COMPLEX = range(4)


class dtype:
    """The type of a tensor's elements, as ``torch.dtype``.

    Attributes
    ----------
    name : str
        torch's name without the prefix, such as ``'float32'``.
    abbr : str
        torch's short name, such as ``'f32'``.
    scalar_type : str
        The name that torch's error messages use, such as ``'Float'``.
    numpy : numpy.dtype
        The dtype of the arrays that store such elements.
    itemsize : int
        Bytes per element.
    category : int
        0 for bool, 1 for integers, 2 for floating point, 3 for complex: the order of promotion.
    is_floating_point, is_complex, is_signed : bool
    """

    __module__ = "torch"
    __slots__ = (
        "abbr", "category", "is_complex", "is_floating_point", "is_signed", "itemsize", "name", "numpy",
        "scalar_type",
    )

    abbr: str
    category: builtins.int
    is_complex: builtins.bool
    is_floating_point: builtins.bool
    is_signed: builtins.bool
    itemsize: builtins.int
    name: str
    numpy: np.dtype[Any]
    scalar_type: str

    def __new__(cls, *args: object, **kwargs: object) -> dtype:
        raise TypeError("cannot create 'torch.dtype' instances")

    def __init_subclass__(cls) -> NoReturn:
        raise TypeError("type 'torch.dtype' is not an acceptable base type")

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise read_only_attribute(self, name)

    def __delattr__(self, name: str) -> NoReturn:
        raise read_only_attribute(self, name)

    def __getattr__(self, name: str) -> NoReturn:
        # Of `is_signed` alone some dtypes have none.
        if name == "is_signed":
            quantized = self in _QUANTIZED
            raise RuntimeError(
                "isSignedType not supported for quantized types" if quantized else "Bits types are undefined"
            )
        raise AttributeError(f"'torch.dtype' object has no attribute '{name}'", name=name, obj=self)

    def __repr__(self) -> str:
        return f"torch.{self.name}"

    def __reduce__(self) -> tuple[Callable[[str], dtype], tuple[str]]:
        return by_name, (self.name,)

    def to_real(self) -> dtype:
        """Return the dtype of the real and imaginary parts; a dtype that is not complex is its own."""
        if self.category != COMPLEX:
            return self
        return float16 if self is complex32 else float32 if self is complex64 else float64

    def to_complex(self) -> dtype:
        """Return the complex dtype whose parts are of this dtype (complex64 for bfloat16)."""
        if self.category == COMPLEX:
            return self
        if self.category < FLOATING or self.itemsize == 1:
            raise RuntimeError(f"Unknown Complex ScalarType for {self.scalar_type}")
        return complex32 if self is float16 else complex128 if self is float64 else complex64


BY_NAME: dict[str, dtype] = {}
BY_NUMPY: dict[np.dtype[Any], dtype] = {}


def _declare(numpy_type: type, abbr: str, scalar_type: str, category: builtins.int) -> dtype:
    stored = np.dtype(numpy_type)
    new = object.__new__(dtype)
    for name, value in (
        ("abbr", abbr),
        ("category", category),
        ("is_complex", category == COMPLEX),
        ("is_floating_point", category == FLOATING),
        ("is_signed", category >= FLOATING or stored.kind == "i"),
        ("itemsize", stored.itemsize),
        ("name", stored.name),
        ("numpy", stored),
        ("scalar_type", scalar_type),
    ):
        object.__setattr__(new, name, value)
    BY_NAME[new.name] = BY_NUMPY[stored] = new
    return new


bool = _declare(np.bool_, "b8", "Bool", BOOL)
uint8 = _declare(np.uint8, "u8", "Byte", INTEGER)
int8 = _declare(np.int8, "i8", "Char", INTEGER)
int16 = short = _declare(np.int16, "i16", "Short", INTEGER)
int32 = int = _declare(np.int32, "i32", "Int", INTEGER)
int64 = long = _declare(np.int64, "i64", "Long", INTEGER)
uint16 = _declare(np.uint16, "u16", "UInt16", INTEGER)
uint32 = _declare(np.uint32, "u32", "UInt32", INTEGER)
uint64 = _declare(np.uint64, "u64", "UInt64", INTEGER)
float16 = half = _declare(np.float16, "f16", "Half", FLOATING)
bfloat16 = _declare(ml_dtypes.bfloat16, "bf16", "BFloat16", FLOATING)
float32 = float = _declare(np.float32, "f32", "Float", FLOATING)
float64 = double = _declare(np.float64, "f64", "Double", FLOATING)
complex32 = chalf = _declare(ml_dtypes.complex32, "c32", "ComplexHalf", COMPLEX)
complex64 = cfloat = _declare(np.complex64, "c64", "ComplexFloat", COMPLEX)
complex128 = cdouble = _declare(np.complex128, "c128", "ComplexDouble", COMPLEX)

float8_e4m3fn = _declare(ml_dtypes.float8_e4m3fn, "f8e4m3fn", "Float8_e4m3fn", FLOATING)
float8_e4m3fnuz = _declare(ml_dtypes.float8_e4m3fnuz, "f8e4m3fnuz", "Float8_e4m3fnuz", FLOATING)
float8_e5m2 = _declare(ml_dtypes.float8_e5m2, "f8e5m2", "Float8_e5m2", FLOATING)
float8_e5m2fnuz = _declare(ml_dtypes.float8_e5m2fnuz, "f8e5m2fnuz", "Float8_e5m2fnuz", FLOATING)
float8_e8m0fnu = _declare(ml_dtypes.float8_e8m0fnu, "f8e8m0fnu", "Float8_e8m0fnu", FLOATING)
object.__setattr__(float8_e8m0fnu, "is_signed", False)


class _NoArithmetic:
    """Stand in place of a NumPy dtype, for a dtype that programs name but no tensor has."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, attribute: str) -> NoReturn:
        raise NotImplementedError(f"torch.{self._name} is a name alone: NumPy has no arithmetic for it")


def _name_only(
    name: str, scalar_type: str, itemsize: builtins.int = 1, abbr: str | None = None,
    signed: builtins.bool | None = None,
) -> dtype:
    """Return a dtype that libraries compare others with; torch does not say whether all are signed."""
    new = object.__new__(dtype)
    floating = name.startswith("float")
    for attribute, value in (
        ("abbr", abbr or name), ("category", FLOATING if floating else INTEGER), ("is_complex", False),
        ("is_floating_point", floating), ("itemsize", itemsize), ("name", name),
        ("numpy", _NoArithmetic(name)), ("scalar_type", scalar_type),
        *([] if signed is None else [("is_signed", signed)]),
    ):  # fmt: skip
        object.__setattr__(new, attribute, value)
    return new


_QUANTIZED = tuple(
    _name_only(name, name.replace("qint", "QInt").replace("quint", "QUInt"), itemsize)
    for name, itemsize in (("qint8", 1), ("quint8", 1), ("qint32", 4), ("quint4x2", 1), ("quint2x4", 1))
)
_BITS = tuple(
    _name_only(name, name.capitalize(), itemsize, abbr)
    for name, itemsize, abbr in (
        ("bits8", 1, "b8x1"), ("bits16", 2, "b16x1"), ("bits1x8", 1, "b1x8"), ("bits2x4", 1, "b2x4"),
        ("bits4x2", 1, "b4x2"),
    )
)
_FEW_BITS = tuple(_name_only(f"int{n}", f"Int{n}", signed=True) for n in range(1, 8))
_UNSIGNED_FEW_BITS = tuple(_name_only(f"uint{n}", f"UInt{n}", signed=False) for n in range(1, 8))
_FLOAT4 = _name_only("float4_e2m1fn_x2", "Float4_e2m1fn_x2", 1, "f4e2m1fnx2", True)

#: The dtypes that programs name and no tensor has, by name.
NAMES = {d.name: d for d in (*_QUANTIZED, *_BITS, *_FEW_BITS, *_UNSIGNED_FEW_BITS, _FLOAT4)}

# Where torch takes a dtype it also takes these Python types.
BY_PYTHON_TYPE: dict[type, dtype] = {
    builtins.bool: bool,
    builtins.int: int64,
    builtins.float: float64,
    builtins.complex: complex128,
}

# torch stores and converts these but gives them no promotion among integers.
STORAGE_ONLY = (uint16, uint32, uint64, *_UNSIGNED_FEW_BITS)

# torch stores, converts and compares these and computes nothing in them.
FLOAT8 = (float8_e4m3fn, float8_e4m3fnuz, float8_e5m2, float8_e5m2fnuz, float8_e8m0fnu)
FLOAT8_NUMPY = frozenset(d.numpy for d in FLOAT8)
COMPLEX32 = complex32.numpy


def by_name(name: str) -> dtype:
    """Return the dtype called ``name`` (without ``torch.``)."""
    return BY_NAME.get(name) or NAMES[name]


def from_numpy_dtype(numpy_dtype: np.dtype[Any]) -> dtype:
    """Return the dtype stored as ``numpy_dtype``, or raise torch's TypeError or ValueError."""
    if (found := BY_NUMPY.get(numpy_dtype)) is not None:
        return found
    if not numpy_dtype.isnative:
        raise ValueError(
            "given numpy array has byte order different from the native byte order. "
            "Conversion between byte orders is currently not supported."
        )
    raise no_tensor_of(numpy_dtype)


def no_tensor_of(numpy_dtype: np.dtype[Any]) -> TypeError:
    """Build torch's error for an array whose dtype no tensor shares."""
    kind = numpy_dtype.type
    return TypeError(
        f"can't convert np.ndarray of type {kind.__module__}.{kind.__name__}. The only supported types are: "
        "float64, float32, float16, complex64, complex128, int64, int32, int16, int8, uint64, uint32, "
        "uint16, uint8, and bool."
    )


def as_dtype(value: object, function: str, argument: str, position: builtins.int) -> dtype:
    """Return a dtype or a Python number type as a dtype, or raise torch's error for the argument."""
    if type(value) is dtype:
        return value
    found = BY_PYTHON_TYPE.get(value) if isinstance(value, type) else None
    if found is None:
        raise argument_type(function, argument, position, "torch.dtype", value)
    return found


# ------------------------------------------------------------------------------------------------------------
# The default dtype
# ------------------------------------------------------------------------------------------------------------

_default = float32


def get_default_dtype() -> dtype:
    """Return the floating-point dtype that Python floats become."""
    return _default


def set_default_dtype(d: dtype, /) -> None:
    """Make ``d``, a floating-point dtype, the one that Python floats become."""
    global _default
    if type(d) is not dtype:
        raise TypeError("invalid dtype object: only floating-point types are supported as the default type")
    if not d.is_floating_point:
        raise TypeError("only floating-point types are supported as the default type")
    if d.itemsize == 1:
        raise TypeError(f"couldn't find storage object {d.scalar_type}Storage")
    if d is not _default:
        _default = d
        process.changed()


def default_complex() -> dtype:
    """Return the complex dtype that Python complex numbers become: its parts are of the default dtype."""
    if _default is bfloat16:
        raise RuntimeError("invalid default scalar type for complex")
    return _default.to_complex()


# ------------------------------------------------------------------------------------------------------------
# Promotion
# ------------------------------------------------------------------------------------------------------------


def promote_types(type1: dtype, type2: dtype) -> dtype:
    """Return the smallest dtype that is of the higher category and no smaller than either."""
    a = as_dtype(type1, "promote_types", "type1", 1)
    return _promote(a, as_dtype(type2, "promote_types", "type2", 2))


def _promote(a: dtype, b: dtype) -> dtype:
    if a is b:
        return a
    if a.name in NAMES or b.name in NAMES:
        _refuse_names(a, b)
    if a in FLOAT8 or b in FLOAT8:
        raise with_note(
            RuntimeError(
                f"Promotion for Float8 Types is not supported, attempted to promote {a.scalar_type} and "
                f"{b.scalar_type}"
            ),
            "Convert it first, for example with .to(torch.float32).",
        )
    if a in STORAGE_ONLY or b in STORAGE_ONLY:
        if a.category == FLOATING or b.category == FLOATING:
            return a if a.category == FLOATING else b
        raise with_note(
            RuntimeError(
                "Promotion for uint16, uint32, uint64 types is not supported, "
                f"attempted to promote {a.scalar_type} and {b.scalar_type}"
            ),
            "Convert one operand first, for example with .to(torch.int64).",
        )
    low, high = sorted((a, b), key=lambda d: (d.category, d.itemsize))
    if low.category == FLOATING and high.category == COMPLEX:
        return _promote(low.to_complex(), high)
    if low.category < high.category:
        return high
    if low.itemsize == high.itemsize:
        return int16 if high.category == INTEGER else float32
    return high


def _refuse_names(a: dtype, b: dtype) -> None:
    """Raise torch's error where one of two dtypes is a name and meets nothing."""
    if a in _QUANTIZED or b in _QUANTIZED:
        raise RuntimeError(
            "promoteTypes with quantized numbers is not handled yet; figure out what the correct rules "
            f"should be, offending types: {a.scalar_type} {b.scalar_type}"
        )
    if a in _BITS or b in _BITS:
        raise RuntimeError(f"Promotion from {a.scalar_type} and {b.scalar_type} is unsupported.")
    if not any(d in FLOAT8 or d in STORAGE_ONLY for d in (a, b)):
        raise RuntimeError(
            'ix_a != -1 INTERNAL ASSERT FAILED at "/__w/pytorch/pytorch/c10/core/ScalarType.cpp":103, please '
            "report a bug to PyTorch. "
        )


def can_cast(from_: dtype, to: dtype) -> builtins.bool:
    """Return whether a cast keeps or raises the category, as int to float does and float to int does not."""
    source, target = as_dtype(from_, "can_cast", "from_", 1), as_dtype(to, "can_cast", "to", 2)
    return source.category <= target.category or (source.category == FLOATING and target.name in NAMES)


def result_numpy_dtype(operands: Iterable[Any]) -> np.dtype[Any]:
    """Return the NumPy dtype that ``operands`` (arrays and Python numbers) are converted to when they meet.

    Arrays with dimensions, zero-dimensional arrays and Python numbers form three ranks. Each rank promotes
    within itself; a lower rank then changes the result only where its category is higher. A Python float
    counts as the default dtype and a Python complex as the default complex one.
    """
    key = []
    for operand in operands:
        if type(operand) is np.ndarray:
            key.append(operand.dtype if operand.ndim else (operand.dtype,))
        elif isinstance(operand, np.ndarray):
            key.append(operand.dtype)  # what stands for an array in a chain
        else:
            key.append(type(operand))
    return _result(tuple(key), _default)


@lru_cache(maxsize=4096)
def _result(key: tuple[Any, ...], default: dtype) -> np.dtype[Any]:
    ranks: list[dtype | None] = [None, None, None]
    for entry in key:
        if isinstance(entry, np.dtype):
            rank, current = 0, from_numpy_dtype(entry)
        elif isinstance(entry, tuple):
            rank, current = 1, from_numpy_dtype(entry[0])
        else:
            rank, current = 2, _of_number(entry, default)
        present = ranks[rank]
        ranks[rank] = current if present is None else _promote(present, current)
    result = _combine(ranks[0], _combine(ranks[1], ranks[2]))
    if result is None:
        raise ValueError("result_numpy_dtype() needs at least one operand")
    return result.numpy


#: What places are told by: the dtypes of indices.
INDICES = (int64.numpy, int32.numpy)


#: The integers that a number of torch's holds; of those above int64 the bits are kept.
LEAST, MOST = -(1 << 63), (1 << 64) - 1


def python_number(value: np.generic) -> builtins.int | builtins.float | builtins.complex:
    """Return a number of NumPy's as the Python number that torch reads it as.

    torch asks for a Python int, then for a complex, then for a float: a complex64, which is none of Python's
    complex numbers, loses its imaginary part (NumPy warns of it), and a ``numpy.bool`` becomes 0.0 or 1.0.
    """
    if isinstance(value, np.integer):
        return builtins.int(value)
    return builtins.complex(value) if isinstance(value, builtins.complex) else builtins.float(value)


def plain_number(value: Any) -> Any:
    """Return a value as it is, but a number of NumPy's as the Python number that torch reads it as."""
    return python_number(value) if isinstance(value, np.generic) and value.dtype.kind in "biufc" else value


def check_number(value: Any) -> None:
    """Raise torch's error for an integer that no number of torch's holds."""
    if isinstance(value, builtins.int) and not LEAST <= value <= MOST:
        raise integer_overflow(value)


def integer_overflow(value: builtins.int) -> OverflowError:
    """Build torch's error for an integer beyond what it reads numbers into."""
    return OverflowError("int too big to convert" if value > 0 else "can't convert negative int to unsigned")


def check_long(value: builtins.int) -> None:
    """Raise torch's error for an integer that int64 does not hold."""
    if not LEAST <= value <= -LEAST - 1:
        raise ValueError("Overflow when unpacking long long")


def _of_number(kind: type, default: dtype) -> dtype:
    if issubclass(kind, builtins.bool | np.bool_):
        return bool
    if issubclass(kind, builtins.int | np.integer):
        return int64
    if issubclass(kind, builtins.float | np.floating | ml_dtypes.bfloat16):
        return default
    if issubclass(kind, builtins.complex | np.complexfloating | ml_dtypes.complex32):
        return default.to_complex()
    raise TypeError(f"expected an array or a number, got {kind.__name__}")


def _combine(higher: dtype | None, lower: dtype | None) -> dtype | None:
    if higher is None or lower is None:
        return lower if higher is None else higher
    if higher.category == FLOATING and lower.category == COMPLEX:
        return higher.to_complex()
    if higher is bool or higher.category < lower.category == FLOATING:
        return _promote(higher, lower)
    return lower if lower.category > higher.category else higher
