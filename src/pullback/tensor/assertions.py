"""torch._assert_async: a condition that functions which are traced can hold on to."""

from typing import Any

from .api import public


@public(method=False, out=False)
def _assert_async(input: Any, assert_msg: str | None = None) -> None:
    """Raise a RuntimeError where a tensor of one element is zero, or a tensor has more elements, or none."""
    if not input.numel():
        raise RuntimeError("Boolean value of Tensor with no values is ambiguous")
    if input.numel() > 1:
        raise RuntimeError("Boolean value of Tensor with more than one value is ambiguous")
    if not input:
        raise RuntimeError(assert_msg or "Expected Tensor with single nonzero value, but got zero")
