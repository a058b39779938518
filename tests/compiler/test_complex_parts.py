"""Complex values are loops over pairs of real ones, with the numbers that eager gives."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import pullback as torch

pytest.importorskip("llvmlite")
from pullback.compiler.lower.filling import Call  # it needs llvmlite

FORMS: dict[str, Callable[[Any, Any], Any]] = {
    "product": lambda a, b: a * b,
    "sums": lambda a, b: 3 - a - b + b * 2,
    "quotient": lambda a, b: a / b,
    "numbers": lambda a, b: (a * (2 + 1j) + b / (1 - 2j)) / 3.0,
    "conjugates": lambda a, b: a.conj() * b - b.conj(),
    "parts": lambda a, b: (a * b).real + a.imag,
    "pairs": lambda a, b: torch.view_as_real(a * b) * 2,
    "sizes": lambda a, b: (a * b).abs(),
    "angles": lambda a, b: torch.angle(a * b),
    "signs": lambda a, b: torch.sgn(a) * b,
    "sum of rows": lambda a, b: (a * b).sum(0),
    "sum of all": lambda a, b: (a * b).sum(),
    "mean": lambda a, b: (a + b).mean(1),
    "transposes": lambda a, b: (a.t() + b.t()).contiguous(),
    "broadcast": lambda a, b: a * b[0] + a[:, :1],
    "real factors": lambda a, b: a.real * b,
    "made of parts": lambda a, b: torch.complex(a.real, b.imag) * b,
    "made of angles": lambda a, b: torch.polar(a.real * b.real, b.imag) * b,
    "seen as complex": lambda a, b: torch.view_as_complex(torch.stack([a.real, b.imag], -1)) * a,
    "joined": lambda a, b: torch.cat([a, b * 2]),
    "joined with real ones": lambda a, b: torch.cat([a, b.real, torch.stack([a, a.imag + b])[1]]),
    "chosen": lambda a, b: torch.where(a.real > 0, a, -b),
    "chosen rows": lambda a, b: a[torch.tensor([0, 0])] * b.index_select(0, torch.tensor([0])),
    "gathered": lambda a, b: a.gather(0, torch.zeros(1, 1, dtype=torch.int64)) + b,
    "added at rows": lambda a, b: a.index_add(0, torch.tensor([0]), b[:1]),
    "added at places": lambda a, b: a.scatter_add(0, torch.zeros(1, 1, dtype=torch.int64), b[:1]),
    "products added": lambda a, b: torch.addcmul(a, a, b, value=2) + torch.lerp(a, b, 0.25),
    "equal ones": lambda a, b: torch.where(a == b, a, a * b),
    "reversed": lambda a, b: a.flip(0) * b,
    "products of matrices": lambda a, b: (a @ b.mH) @ a * 0.002 + torch.mv(a, b[0])[:, None] * 0.02,
    "products of stacks": lambda a, b: torch.stack([a, b]) @ torch.stack([b, a]).mH * 0.1,
    "a linear layer": lambda a, b: torch.nn.functional.linear(a[None], b),
    "few terms": lambda a, b: a[:, :3] @ b[:, :3].mT,
    "exponentials": lambda a, b: torch.exp(a * 0.5) * torch.exp(1j * b.real),
    "padded": lambda a, b: torch.nn.functional.pad(a * b, (1, 2)),
}


def parts_written(a: Any, b: Any) -> Any:
    c = a * b
    torch.view_as_real(c)[..., 1] = b.real
    torch.view_as_real(c).mul_(2)
    return c


FORMS["parts written"] = parts_written


def close(a: Any, b: Any, tolerance: float) -> bool:
    if a is None or b is None:
        return a is b
    parts = [torch.view_as_real(torch.resolve_conj(v)) if v.is_complex() else v for v in (a, b)]
    return a.dtype == b.dtype and torch.allclose(*parts, rtol=tolerance, atol=tolerance, equal_nan=True)


@pytest.mark.parametrize("dtype", [torch.complex64, torch.complex128])
@pytest.mark.parametrize("name", FORMS)
def test_values_and_gradients_are_eagers(name, dtype):
    form = FORMS[name]

    def step(a: Any, b: Any) -> Any:
        y = form(a, b)
        return y.detach(), *torch.autograd.grad((y.abs() ** 2).sum(), (a, b), allow_unused=True)

    for shape in ((6, 5), (33, 64), (1, 1)):
        a, b = (torch.randn(*shape, dtype=dtype, requires_grad=True) for _ in range(2))
        compiled = torch.compile(step)
        for expected, found in zip(step(a, b), compiled(a, b), strict=True):
            assert close(expected, found, 1e-4)
        assert not [s.op for s in compiled._native.specializations[-1].forward.steps if isinstance(s, Call)]


@pytest.mark.parametrize("name", ["product", "quotient", "sizes", "signs", "real factors", "numbers"])
def test_infinite_parts_and_nan(name):
    special = [0.0, -0.0, 1.0, -2.0, float("inf"), float("-inf"), float("nan")]
    numbers = torch.tensor([complex(x, y) for x in special for y in special], dtype=torch.complex128)
    a, b = numbers[:, None].expand(49, 49).contiguous(), numbers.expand(49, 49).contiguous()
    assert close(FORMS[name](a, b), torch.compile(FORMS[name])(a, b), 1e-12)


@pytest.mark.parametrize("form", [lambda z: z * 1, lambda z: 1 / z, lambda z: z / 1, lambda z: 1.0 * z])
def test_a_product_with_one_may_have_other_parts(form):
    special = [0.0, 1.0, float("inf"), float("nan")]
    numbers = torch.tensor([complex(x, y) for x in special for y in special], dtype=torch.complex128)
    assert close(form(numbers), torch.compile(form)(numbers), 0)


@pytest.mark.parametrize("dtype", [torch.complex64, torch.complex128])
def test_exponentials_of_special_parts(dtype):
    special = [0.0, -0.0, 1.0, -80.0, 90.0, 710.0, 1e5, 1e-30, float("inf"), float("-inf"), float("nan")]
    numbers = torch.tensor([complex(x, y) for x in special for y in special], dtype=dtype)
    assert close(torch.exp(numbers), torch.compile(torch.exp)(numbers), 1e-4)
