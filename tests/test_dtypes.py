"""dtypes: attributes, default dtype, promotion and limits are torch's."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from itertools import product
from types import SimpleNamespace
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from pullback.array import dtype_limits, dtypes
from tests.recorded import load, outcome

BASICS = load("basics")
PROMOTION = load("promotion")
TORCH = SimpleNamespace(**vars(dtypes), finfo=dtype_limits.finfo, iinfo=dtype_limits.iinfo)
DTYPES = [next(d for d in dtypes.BY_NAME.values() if d.abbr == abbr) for abbr in PROMOTION["dtypes"]]
BY_SCALAR_TYPE = {d.scalar_type: d for d in DTYPES}
DEFAULTS = {d.abbr: d for d in DTYPES if d.is_floating_point}
REFUSED = "Promotion for uint16, uint32, uint64 types is not supported, attempted to promote {} and {}"


@pytest.fixture(autouse=True)
def _default_dtype() -> Iterator[None]:
    yield
    dtypes.set_default_dtype(dtypes.float32)


def test_as_torch() -> None:
    found = {}
    for expression in BASICS["dtypes"]:
        found[expression] = outcome(expression, TORCH)
        dtypes.set_default_dtype(dtypes.float32)
    assert found == BASICS["dtypes"]


def test_numpy_dtypes_without_a_dtype() -> None:
    torch = SimpleNamespace(from_numpy_dtype=dtypes.from_numpy_dtype)
    texts = BASICS["numpy_dtypes"]
    assert {text: outcome(f"torch.from_numpy_dtype(np.dtype({text!r}))", torch) for text in texts} == texts


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_numpy_and_back(dtype: dtypes.dtype) -> None:
    assert dtypes.from_numpy_dtype(dtype.numpy) is dtype
    assert dtypes.BY_NUMPY[dtype.numpy] is dtype
    assert np.zeros(1, dtype.numpy).itemsize == dtype.itemsize


def test_equal_numpy_dtypes_are_one() -> None:
    assert dtypes.from_numpy_dtype(np.dtype("longlong")) is dtypes.int64
    assert dtypes.from_numpy_dtype(np.dtype("<f4")) is dtypes.float32
    assert dtypes.bfloat16.numpy == np.dtype(ml_dtypes.bfloat16)


def test_halves_make_complex32() -> None:
    assert dtypes.float16.to_complex() is dtypes.complex32
    assert dtypes.complex32.to_real() is dtypes.float16
    half = np.ones(2, np.float16)
    assert dtypes.result_numpy_dtype([half, 1j]) == ml_dtypes.complex32
    dtypes.set_default_dtype(dtypes.float16)
    assert dtypes.default_complex() is dtypes.complex32


def test_bfloat16_has_no_complex_default() -> None:
    dtypes.set_default_dtype(dtypes.bfloat16)
    with pytest.raises(RuntimeError, match=r"^invalid default scalar type for complex$"):
        dtypes.default_complex()


_ASSERTION = (
    'ix_a != -1 INTERNAL ASSERT FAILED at "/__w/pytorch/pytorch/c10/core/ScalarType.cpp":103, please report '
    "a bug to PyTorch. "
)
_QUANTIZED = (
    "promoteTypes with quantized numbers is not handled yet; figure out what the correct rules should be, "
    "offending types: QInt32 Float"
)
#: Dtypes that are names alone, as torch has them: itemsize, abbreviation, whether signed and floating, and
#: what they and float32 promote to.
NAMED = {
    "qint32": (4, "qint32", "isSignedType not supported for quantized types", False, _QUANTIZED),
    "bits16": (2, "b16x1", "Bits types are undefined", False,
               "Promotion from Bits16 and Float is unsupported."),
    "bits2x4": (1, "b2x4", "Bits types are undefined", False,
                "Promotion from Bits2x4 and Float is unsupported."),
    "int3": (1, "int3", "True", False, _ASSERTION),
    "uint4": (1, "uint4", "False", False, "torch.float32"),
    "float4_e2m1fn_x2": (1, "f4e2m1fnx2", "True", True, _ASSERTION),
}


@pytest.mark.parametrize("name", NAMED)
def test_names_alone(name: str) -> None:
    def told(call: Any) -> str:
        try:
            return str(call())
        except RuntimeError as error:
            return str(error)

    d = dtypes.by_name(name)
    seen = (
        d.itemsize, d.abbr, told(lambda: d.is_signed), d.is_floating_point,
        told(lambda: dtypes.promote_types(d, dtypes.float32)),
    )  # fmt: skip
    assert seen == NAMED[name]
    assert dtypes.promote_types(d, d) is d
    assert dtypes.can_cast(dtypes.float32, d)
    assert not dtypes.can_cast(dtypes.complex64, d)
    assert told(d.to_complex) == f"Unknown Complex ScalarType for {d.scalar_type}"
    assert pickle.loads(pickle.dumps(d)) is d


def test_default_complex_follows_the_default() -> None:
    assert dtypes.default_complex() is dtypes.complex64
    dtypes.set_default_dtype(dtypes.float64)
    assert dtypes.default_complex() is dtypes.complex128


def entry(function: Any, *arguments: Any) -> str:
    """What a promotion gives, as promotion.json has it."""
    try:
        result = function(*arguments)
    except RuntimeError as error:
        words = str(error).split()
        assert str(error) == REFUSED.format(words[-3], words[-1])
        return f"!{words[-3]}/{words[-1]}"
    return (result if isinstance(result, dtypes.dtype) else dtypes.from_numpy_dtype(result)).abbr


def test_promote_types() -> None:
    for a, row in zip(DTYPES, PROMOTION["promote_types"], strict=True):
        assert " ".join(entry(dtypes.promote_types, a, b) for b in DTYPES) == row, a


def test_can_cast() -> None:
    for a, row in zip(DTYPES, PROMOTION["can_cast"], strict=True):
        assert "".join("01"[dtypes.can_cast(a, b)] for b in DTYPES) == row, a


@pytest.mark.parametrize("default", DEFAULTS)
def test_result_type_of_every_pair(default: str) -> None:
    dtypes.set_default_dtype(DEFAULTS[default])
    operands = [
        *(np.ones(2, d.numpy) for d in DTYPES),
        *(np.ones((), d.numpy) for d in DTYPES),
        *({"bool": True, "int": 1, "float": 1.0, "complex": 1j}[name] for name in PROMOTION["numbers"]),
    ]
    for a, row in zip(operands, PROMOTION["result_type"][default], strict=True):
        assert " ".join(entry(dtypes.result_numpy_dtype, (a, b)) for b in operands) == row, a


def test_result_type_of_one_and_of_many() -> None:
    def result(*operands: Any) -> np.dtype:
        return dtypes.result_numpy_dtype(operands)

    vector, scalar = np.ones(2, np.int8), np.array(1, np.int32)
    assert result(vector) == np.int8
    assert result(2) == np.int64
    assert result(2.0) == np.float32
    assert result(vector, scalar, 3) == np.int8
    assert result(vector, scalar, 3.0) == np.float32
    assert result(np.array(1, np.float64), vector, 2j) == np.complex128
    assert result(vector, np.ones(2, np.float16), np.ones(2, ml_dtypes.bfloat16)) == np.float32
    assert dtypes.result_numpy_dtype(iter([vector, 1])) == np.int8


@pytest.mark.parametrize("scalar, want", [
    (np.float64(2), np.float32), (np.float32(2), np.float32), (np.int8(2), np.int64),
    (np.bool_(True), np.bool_), (np.complex128(2), np.complex64),
])
def test_numpy_scalars_count_as_python_numbers(scalar: Any, want: type) -> None:
    assert dtypes.result_numpy_dtype([scalar]) == want


def test_a_new_default_dtype_counts_at_once() -> None:
    operands = (np.ones(2, np.int64), 1.5)
    for dtype in (*DEFAULTS.values(), *reversed(DEFAULTS.values())):
        dtypes.set_default_dtype(dtype)
        assert dtypes.result_numpy_dtype(operands) == dtype.numpy


def test_operands_that_are_no_numbers() -> None:
    with pytest.raises(TypeError, match="expected an array or a number, got str"):
        dtypes.result_numpy_dtype([np.ones(2), "a"])
    with pytest.raises(ValueError, match="at least one operand"):
        dtypes.result_numpy_dtype([])
    with pytest.raises(TypeError, match=r"can't convert np.ndarray of type numpy.object_"):
        dtypes.result_numpy_dtype([np.ones(2, object), 1])


def test_promotion_is_a_lattice_where_it_is_defined() -> None:
    usual = [d for d in DTYPES if d not in dtypes.STORAGE_ONLY]
    for a, b in product(usual, usual):
        joined = dtypes.promote_types(a, b)
        assert joined is dtypes.promote_types(b, a)
        assert dtypes.can_cast(a, joined)
        assert dtypes.promote_types(a, joined) is joined


def test_refused_promotion_says_what_to_do() -> None:
    with pytest.raises(RuntimeError) as caught:
        dtypes.promote_types(dtypes.uint16, dtypes.int8)
    assert caught.value.__notes__ == ["Convert one operand first, for example with .to(torch.int64)."]


@pytest.mark.parametrize(
    "limits", [dtype_limits.finfo(dtypes.float32), dtype_limits.iinfo(dtypes.int8)], ids=repr
)
def test_limits_do_not_hash(limits: Any) -> None:
    with pytest.raises(TypeError, match="unhashable"):
        hash(limits)
