"""What torch refuses, in its order and words, where NumPy would take it or say something of its own; and what
torch takes where NumPy refuses.
"""

from __future__ import annotations

from typing import Any

import pytest

import pullback as torch
from pullback.nn import functional as F

X = torch.arange(6.0)
ROWS = X.reshape(2, 3)
INTS = torch.arange(3)
BYTES = torch.tensor([1, 2], dtype=torch.uint8)
IMAGE = torch.ones(1, 3, 4)
SCALE = torch.ones(3)
PIVOTS = torch.tensor([9, 9], dtype=torch.int32)
SAID_OF_PIVOTS = (
    "Pivots given to lu_solve must all be smaller or equal to LU.size(-2). Did you properly pass the result "
    "of lu_factor?"
)


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: torch.addmv(X, ROWS, X), RuntimeError, "size mismatch, got input (6), mat (2x3), vec (6)"),
        (lambda: torch.addmv(X, X, X), RuntimeError, "vector + matrix @ vector expected, got 1, 1, 1"),
        (lambda: torch.addr(X, ROWS, X), RuntimeError, "addr: Expected 1-D argument vec1, but got 2-D"),
        (lambda: torch.baddbmm(X, X[0], ROWS), IndexError,
         "Dimension specified as 0 but tensor has no dimensions"),
        (lambda: torch.addmm(ROWS, ROWS[:, :2], ROWS, beta=2j), RuntimeError,
         "value cannot be converted to type float without overflow"),
        (lambda: torch.where(BYTES > 1, BYTES, 300), RuntimeError,
         "value cannot be converted to type uint8_t without overflow"),
        (lambda: torch.reshape(X, 6), TypeError,
         "reshape(): argument 'shape' (position 2) must be tuple of ints, not int"),
        (lambda: torch.isclose(BYTES, BYTES.long()), RuntimeError, "Byte did not match Long"),
        (lambda: F.conv1d(IMAGE > 0, IMAGE > 0), NotImplementedError,
         "\"slow_conv2d_cpu\" not implemented for 'Bool'"),
        (lambda: F.kl_div(INTS, INTS, reduction="none"), RuntimeError,
         "kl_div: Integral inputs not supported."),
        (lambda: torch.linalg.lu_solve(torch.eye(2), PIVOTS, torch.eye(2)), RuntimeError, SAID_OF_PIVOTS),
        (lambda: F.batch_norm(IMAGE, None, None, SCALE.double(), training=True), RuntimeError,
         "mixed dtype (CPU): expect parameter to have scalar type of Float"),
        (lambda: F.group_norm(IMAGE, 1, SCALE, SCALE.half()), RuntimeError,
         "expected scalar type Float but found Half"),
        (lambda: F.batch_norm(IMAGE.int(), None, None, training=True), NotImplementedError,
         "\"batch_norm\" not implemented for 'Int'"),
        (lambda: F.layer_norm(IMAGE.double().transpose(1, 2), (3,), SCALE), RuntimeError,
         "mixed dtype (CPU): all inputs must share same datatype."),
        (lambda: F.max_unpool2d(IMAGE, IMAGE.long(), (1, 1), output_size=(9, 9)), ValueError,
         'invalid output_size "(9, 9)" (dim 0 must be between 2 and 4)'),
        (lambda: torch.unique(X, return_counts=1), TypeError,
         "_unique2(): argument 'return_counts' must be bool, not int"),
        (lambda: torch.var_mean(INTS), RuntimeError,
         "var_mean only support floating point and complex dtypes"),
        (lambda: torch.tensordot(X[0], X[0], 1), RuntimeError,
         "tensordot expects dims < ndim_a or ndim_b, but got dims=1"),
        (lambda: X.cumsum(2**63), ValueError, "Overflow when unpacking long long"),
        (lambda: X.to(2**70), ValueError, "Overflow when unpacking long long"),
        (lambda: torch.device("cuda", 2**63), ValueError, "Overflow when unpacking long long"),
        (lambda: X.prod(keepdim=True), TypeError,
         ("prod() received an invalid combination of arguments - got (keepdim=bool, ), but expected one "
          "of:\n * (*, torch.dtype dtype = None)\n"
          " * (int dim, bool keepdim = False, *, torch.dtype dtype = None)\n")),
    ],
)  # fmt: skip
def test_words(call: Any, error: type[Exception], text: str) -> None:
    with pytest.raises(error) as caught:
        call()
    assert str(caught.value) == text


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda x: x.__iadd__(torch.ones(2, 3)),
         "output with shape [3] doesn't match the broadcast shape [2, 3]"),
        (lambda x: x.__ixor__(1.5), "result type Float can't be cast to the desired output type Long"),
        (lambda x: x.__imod__(torch.ones(4)),
         "The size of tensor a (3) must match the size of tensor b (4) at non-singleton dimension 0"),
    ],
)  # fmt: skip
def test_in_place(call: Any, text: str) -> None:
    with pytest.raises(RuntimeError) as caught:
        call(INTS.clone())
    assert str(caught.value) == text


def test_operators_of_what_is_no_number() -> None:
    x = X.clone()
    assert x.__iadd__("a") is NotImplemented
    with pytest.raises(TypeError, match=r"unsupported operand type\(s\) for \+=: 'Tensor' and 'NoneType'"):
        x += None  # type: ignore[operator]  # on purpose
    i = INTS.clone()
    i <<= 2
    assert i.tolist() == [0, 4, 8]


def test_numbers_wrap_around() -> None:
    assert (BYTES % -1).tolist() == [1, 2]
    assert (BYTES % 300).tolist() == [1, 2]
    assert BYTES.fmod(-1).tolist() == [1, 2]
    assert BYTES.clamp(min=-1).tolist() == [255, 255]
    with pytest.raises(RuntimeError, match="value cannot be converted to type uint8_t without overflow"):
        BYTES.clamp(min=-300)


def test_what_torch_takes() -> None:
    assert torch.zeros(0, 5).to_sparse().shape == (0, 5)
    assert F.max_unpool2d(torch.zeros(0, 1, 2, 2), torch.zeros(0, 1, 2, 2).long(), 2).shape == (0, 1, 4, 4)
    assert torch.dist(INTS, X[:3]).item() == 0.0
    assert F.cross_entropy(torch.ones(3), torch.tensor([1])).shape == ()
