"""Functions that move elements refuse the dtypes that torch has no kernels for, in its words."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import pullback as torch

PLACES = torch.tensor([[0, 1]])

#: A call, the name of torch's kernel, and the dtypes beside unsigned ones and those of eight bits that it is
#: not written for.
CALLS: dict[str, tuple[Callable[[Any], Any], str, tuple[str, ...]]] = {
    "gather": (lambda x: torch.gather(x, 0, PLACES), "scatter_gather_tensor_cpu", ()),
    "take_along_dim": (lambda x: torch.take_along_dim(x, PLACES, 0), "scatter_gather_tensor_cpu", ()),
    "amax": (lambda x: x.amax(0), "max_values_cpu", ("complex64",)),
    "argmin": (lambda x: x.argmin(), "argmin_cpu", ()),
    "max": (lambda x: x.max(0), "max_cpu", ()),
    "nonzero": (lambda x: x.nonzero(), "nonzero_count_cpu", ()),
    "tril": (lambda x: x.tril(), "tril", ()),
    "searchsorted": (lambda x: torch.searchsorted(x[0], x[0]), "searchsorted_out_cpu", ("bool", "complex64")),
    "replicate": (
        lambda x: torch.nn.functional.pad(x[None], (1, 1), "replicate"), "replication_pad1d", ("bool",)
    ),
    "scatter_reduce": (
        lambda x: torch.scatter_reduce(x, 0, PLACES, x, "amax"), "scatter_gather_tensor_cpu_reduce_amax",
        ("complex64",),
    ),
    "index_reduce": (
        lambda x: torch.index_reduce(x[0], 0, PLACES[0], x[0], "mean"), "index_func_", ("bool", "complex64")
    ),
}  # fmt: skip

WORDS = {
    "uint16": "UInt16", "uint64": "UInt64", "float8_e5m2": "Float8_e5m2", "bool": "Bool",
    "complex64": "ComplexFloat",
}  # fmt: skip


@pytest.mark.parametrize("name", CALLS)
def test_refused(name: str) -> None:
    call, kernel, more = CALLS[name]
    call(torch.eye(2))
    for dtype in ("uint16", "uint64", "float8_e5m2", *more):
        x = torch.eye(2).to(getattr(torch, dtype))
        with pytest.raises(NotImplementedError) as caught:
            call(x)
        assert str(caught.value) == f"\"{kernel}\" not implemented for '{WORDS[dtype]}'"


def test_in_place() -> None:
    """An elementwise function looks at the result before it looks for a kernel; a product does not."""
    x = torch.zeros(1, dtype=torch.int64)
    with pytest.raises(RuntimeError, match=r"shape \[1\] doesn't match the broadcast shape \[3\]"):
        x.lerp_(torch.zeros(3, dtype=torch.int64), 0.5)
    with pytest.raises(NotImplementedError, match="\"lerp_kernel_scalar\" not implemented for 'Long'"):
        x.lerp_(x, 0.5)
    y, z = torch.zeros(2, 2, dtype=torch.bool), torch.zeros(2, dtype=torch.bool)
    with pytest.raises(NotImplementedError, match="\"addmv_impl_cpu\" not implemented for 'Bool'"):
        z.addmv_(y, torch.zeros_like(z))
