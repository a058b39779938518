"""What is derived from torch's schemas."""

from __future__ import annotations

import pytest

from pullback.tensor.schemas import schemas, signatures

OPTIONS = (
    "torch.dtype? dtype = None, torch.layout? layout = None, torch.device? device = None, "
    "bool? pin_memory = False, bool? requires_grad = False"
)


@pytest.mark.parametrize(
    ("place", "name", "expected"),
    [
        ("", "tanh", ["(Tensor input, *, Tensor out = None)"]),
        ("Tensor", "tanh", ["()"]),
        ("linalg", "det", ["(Tensor A, *, Tensor out = None)"]),
        # Tensors come before numbers, and TorchScript's overloads are none of Python's.
        ("Tensor", "pow", ["(Tensor exponent)", "(Number exponent)"]),
        # What the build of torch made to write to `out`, Python does not have.
        ("", "trace", ["(Tensor input)"]),
        # Options come after `out`, and there is one more.
        ("", "ones", [f"(tuple of ints size, *, Tensor out = None, {OPTIONS})"]),
        ("", "add", [
            "(Tensor input, Number alpha, Tensor other, *, Tensor out = None)|deprecated",
            "(Tensor input, Tensor other, *, Number alpha = 1, Tensor out = None)",
        ]),
        ("", "split", []),
        ("nn", "relu", []),
    ],
)
def test_signatures_are_those_that_torch_prints(place: str, name: str, expected: list[str]) -> None:
    assert list(signatures(place, name)) == expected


def test_overloads_are_those_of_one_op() -> None:
    assert list(schemas("std")) == ["default", "dim", "correction", "correction_out", "out"]
    assert schemas("no_op_of_that_name") == {}
