"""Draw random numbers in place: the methods of tensors that fill them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numpy import ndarray

from ..core import inplace
from ..core.batched import mappings
from ..core.modes import modes
from ..core.tracer import is_tracing
from ..core.value import TensorBase
from ..core.versions import bump
from ..ops import random as ops
from ..ops import random_mapped as mapped
from .api import public
from .random import GENERATOR, _of
from .signature import method


def _fill(self: Any, draw: ops.Draw, *attrs: Any) -> Any:
    """Let an op draw for a tensor and write the result into it."""
    recording = modes().grad and inplace.requires_grad(self)
    inplace.check_writable(self, recording)
    if mappings.get():
        mapped.check_writable(self, mapped.current())
    value = self._value
    if recording or type(value) is not ndarray or is_tracing():
        return inplace.write(self, draw.call(self, *attrs))
    *numbers, generator = attrs
    inplace.announce_write(self)
    draw.kernel(generator, value, *numbers)
    bump(self)
    inplace.record_write(self, None)
    return self


def _method(name: str, signature: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Declare an in-place method whose arguments torch's parser reads."""
    def declare(function: Callable[..., Any]) -> Callable[..., Any]:
        return public(
            method(name, *signature.split(" | "))(function), name=name, is_function=False, out=False
        )

    return declare


@_method("uniform_", f"(float from = 0, float to = 1, *, {GENERATOR})")
def uniform_(self: Any, low: float = 0, high: float = 1, *, generator: Any = None) -> Any:
    """Fill with numbers from [from, to), uniformly distributed."""
    return _fill(self, ops.uniform, low, high, _of(generator))


@_method("normal_", f"(float mean = 0, float std = 1, *, {GENERATOR})")
def normal_(self: Any, mean: float = 0, std: float = 1, *, generator: Any = None) -> Any:
    """Fill with normal numbers."""
    return _fill(self, ops.normal, mean, std, _of(generator))


@_method("log_normal_", f"(float mean = 1, float std = 2, *, {GENERATOR})")
def log_normal_(self: Any, mean: float = 1, std: float = 2, *, generator: Any = None) -> Any:
    """Fill with exp(n) for normal numbers n."""
    return _fill(self, ops.log_normal, mean, std, _of(generator))


@_method("exponential_", f"(float lambd = 1, *, {GENERATOR})")
def exponential_(self: Any, lambd: float = 1, *, generator: Any = None) -> Any:
    """Fill with exponentially distributed numbers of rate `lambd`."""
    return _fill(self, ops.exponential, lambd, _of(generator))


@_method("cauchy_", f"(float median = 0, float sigma = 1, *, {GENERATOR})")
def cauchy_(self: Any, median: float = 0, sigma: float = 1, *, generator: Any = None) -> Any:
    """Fill with Cauchy numbers."""
    return _fill(self, ops.cauchy, median, sigma, _of(generator))


@_method("geometric_", f"(float p, *, {GENERATOR})")
def geometric_(self: Any, p: float, *, generator: Any = None) -> Any:
    """Fill with the numbers of trials up to the first success, of probability `p`."""
    return _fill(self, ops.geometric, p, _of(generator))


@_method("random_", f"(*, {GENERATOR}) | (int from, int to, *, {GENERATOR}) | (int to, *, {GENERATOR})")
def random_(self: Any, low: int | None = None, high: int | None = None, *, generator: Any = None) -> Any:
    """Fill with integers from [from, to), or from all that the dtype holds."""
    if high is None:
        return _fill(self, ops.random, _of(generator))
    if low is None:
        return _fill(self, ops.random_below, high, _of(generator))
    return _fill(self, ops.random_between, low, high, _of(generator))


@_method("bernoulli_", f"(Tensor p, *, {GENERATOR}) | (float p = 0.5, *, {GENERATOR})")
def bernoulli_(self: Any, p: Any = 0.5, *, generator: Any = None) -> Any:
    """Fill with ones of probability `p` (a number, or a tensor that broadcasts) and zeros."""
    if isinstance(p, TensorBase):
        return inplace.write(self, ops.bernoulli_each(self, p, _of(generator)))
    return _fill(self, ops.bernoulli_number, p, _of(generator))
