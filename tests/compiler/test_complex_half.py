"""Compiled functions of complex32 give what they give uncompiled: values, gradients and refusals."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import pullback as torch

FUNCTIONS: dict[str, Callable[[Any, Any], Any]] = {
    "half and a complex number": lambda h, z: h + 1j,
    "products": lambda h, z: z * z + h * 2,
    "magnitudes": lambda h, z: (z * 2).abs().sum(),
    "parts": lambda h, z: z.real * 2 + z.imag,
    "conjugates": lambda h, z: torch.cat([z, z.conj()]),
    "wider": lambda h, z: z.to(torch.cfloat) * h,
    "narrower": lambda h, z: (h.float() * 3).to(torch.chalf),
    "a constant": lambda h, z: z * torch.tensor([1j, 2, 3], dtype=torch.chalf),
    "a choice": lambda h, z: torch.where(h > 0, z, 0),
    "places": lambda h, z: z[torch.tensor([0, 2])],
    "made of parts": lambda h, z: torch.complex(h, h) * 2,
    "in place": lambda h, z: z.clone().mul_(2j),
    "pairs": lambda h, z: torch.view_as_real(z).sum(),
    "of pairs": lambda h, z: torch.view_as_complex(torch.stack([h, h], -1)) * z,
    "statistics": lambda h, z: z.var() + z.norm(),
    "truth": lambda h, z: (z == z) & z.bool(),
    "a convolution": lambda h, z: torch.nn.functional.conv1d(z[None, None], z[None, None, :2]),
    "refused sums": lambda h, z: z.sum(),
    "refused exponentials": lambda h, z: z.exp(),
    "refused quotients": lambda h, z: z / h,
}


def _told(function: Callable[..., Any], *args: Any) -> str:
    try:
        return repr(function(*args))
    except NotImplementedError as error:
        return str(error)


def _step(function: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    def run(h: Any, z: Any) -> Any:
        h, z = h.clone().requires_grad_(), z.clone().requires_grad_()
        result = function(h, z)
        if result.is_complex():
            result = torch.view_as_real(result)
        if result.requires_grad:
            result.float().sum().backward()
        return result.detach(), h.grad, z.grad

    return run


@pytest.mark.parametrize("name", FUNCTIONS)
def test_as_uncompiled(name: str) -> None:
    function = FUNCTIONS[name]
    h = torch.tensor([1.5, -2.25, 3.0], dtype=torch.half)
    z = torch.complex(h, h * 2)
    for body in (function, _step(function)):
        expected, compiled = _told(body, h, z), torch.compile(body)
        assert [_told(compiled, h, z) for _ in range(2)] == [expected] * 2
    assert _told(_step(torch.compile(function)), h, z) == _told(_step(function), h, z)
