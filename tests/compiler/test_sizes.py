"""One function for kernels that differ in sizes and numbers alone."""

from __future__ import annotations

import random
from typing import Any

import pytest

import pullback as torch

pytest.importorskip("llvmlite")
from pullback.compiler.emit import modules
from pullback.compiler.emit.sizes import General, pattern

STEPS = 60
KINDS = random.Random(3).choices(range(3), k=STEPS)


def tree(x: Any, q: Any) -> Any:
    """Go back from the leaves of a tree of prices, which has a node less in each step."""
    v = x.exp()
    for _ in range(STEPS):
        v = torch.maximum(q * v[:, 1:] + (1 - q) * v[:, :-1], 1 - x[:, : v.shape[1] - 1].cos())
    return v.sum()


def triangle(x: Any, q: Any) -> Any:
    """Add up what stands in the rows of a triangle, as far as the diagonal."""
    total = q.sum()
    for n in range(STEPS, 2, -1):
        total = total + (x[:, :n] * q.sin()).softmax(1).square().sum()
    return total


def pyramid(x: Any, q: Any) -> Any:
    """Smooth on grids that each have other places and strides."""
    total = q.sum()
    for n in range(2, STEPS):
        part = x[:, n : n + 9 + n % 5]
        total = total + (part[:, 1:] - part[:, :-1]).square().sum(1).tanh().sum()
    return total


def formulas(x: Any, q: Any) -> Any:
    """Go on in an order that never repeats, with a factor of its own in each step."""
    v = x[:, 0] + q.sum()
    for n, kind in enumerate(KINDS):
        products = torch.outer(v, v) * (0.25 + n / 64)
        parts = products.softmax(1)[n % 5], products.mean(0).tanh(), (products * products).mean(1).sin()
        v = parts[kind]
    return v.sum()


def filtered(x: Any, q: Any) -> Any:
    """Filter steps of three numbers, which are rolled to loops whose bodies have many kernels."""
    mean, spread = x[:3, 0], torch.eye(3, dtype=x.dtype)
    turn, seen = x[:3, 1:4], x[3:, 4:7]
    total = q.sum()
    for observed in x[:2].T[:40]:
        mean, spread = turn @ mean, turn @ spread @ turn.T + torch.eye(3, dtype=x.dtype)
        error, noise = observed - seen @ mean, seen @ spread @ seen.T + torch.eye(2, dtype=x.dtype)
        gain = torch.linalg.solve(noise, seen @ spread).T
        total = total + (error * error).sum() + noise.diagonal().log().sum()
        mean, spread = mean + gain @ error, spread - gain @ seen @ spread
    return total


def kernels_of(function: Any, monkeypatch: pytest.MonkeyPatch) -> modules.Kernels:
    """Return the kernels of a function and its gradients, which are to be what eager computes."""
    made: list[modules.Kernels] = []
    compiled = modules.Kernels.compiled

    def counted(kernels: modules.Kernels, *texts: Any) -> Any:
        made.append(kernels)
        return compiled(kernels, *texts)

    monkeypatch.setattr(modules.Kernels, "compiled", counted)

    def step(x: Any, q: Any) -> Any:
        value = function(x, q)
        return value.detach(), *torch.autograd.grad(value, [x, q])

    torch.manual_seed(3)
    x = torch.rand(5, STEPS + 15, dtype=torch.float64).requires_grad_()
    q = torch.rand(5, 1, dtype=torch.float64).requires_grad_()
    found, want = torch.compile(step)(x, q), step(x, q)
    for one, other in zip(found, want, strict=True):
        torch.testing.assert_close(one, other, rtol=1e-10, atol=1e-10)
    (kernels,) = made
    return kernels


def takes_rows(text: str) -> bool:
    """Return whether a kernel is told with each call which rows it works off."""
    return "%hi" in text.partition(")")[2]


@pytest.mark.parametrize("function", [tree, triangle, pyramid, formulas], ids=lambda f: f.__name__)
def test_steps_of_other_sizes_share_kernels(function: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """They compute what eager does, and there are fewer kernels than steps."""
    kernels = kernels_of(function, monkeypatch)
    assert len(kernels.names) < STEPS
    # LLVM is told how few rows most of them have.
    assert sum(map(takes_rows, kernels.names)) < len(kernels.names) / 3


def test_kernels_in_loops_know_their_few_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    """LLVM makes vectors of rows that may be many, in four times the time that three rows take."""
    kernels = kernels_of(filtered, monkeypatch)
    assert len(kernels.names) > modules.MANY
    # One joins the parts of all steps.
    assert sum(map(takes_rows, kernels.names)) <= 1


KERNEL = """(ptr %p0, i64 %lo, i64 %hi) nounwind #0 {{
entry:
  store i64 0, ptr %v1
  %v3 = icmp slt i64 %v2, {0}
  %v4 = mul nsw i64 %v2, {0}
  %v5 = call i64 @llvm.smin.i64(i64 %v4, i64 {1})
  %v6 = getelementptr double, ptr %p0, i64 {2}
  %v7 = udiv i64 %v5, 7
  br label %l1_head, !llvm.loop !{3}
}}"""


def test_a_general_kernel_is_told_what_differs() -> None:
    """Numbers that are equal in every text are one argument, and those that never differ are none."""
    texts = [KERNEL.format(n, 2 * n, 8, kind) for n, kind in ((5, 5), (6, 5), (100, 1))]
    assert len({*map(pattern, texts)}) == 1
    general = General(texts)
    head = "(ptr %p0, i64 %lo, i64 %hi, i64 %size0, i64 %size1)"
    whole = KERNEL.replace("(ptr %p0, i64 %lo, i64 %hi)", head)
    assert general.text == whole.format("%size0", "%size1", 8, 5)
    assert [general.sizes(text) for text in texts] == [
        ", i64 5, i64 10", ", i64 6, i64 12", ", i64 100, i64 200"
    ]  # fmt: skip


def test_sizes_that_grow_alike_are_one_argument() -> None:
    """Offsets in rows behind an array are its size and a number: a Fourier transform has a hundred."""
    texts = [KERNEL.format(n, n - 1, n + 7, 5) for n in (5, 6, 100)]
    general = General(texts)
    whole = KERNEL.replace("(ptr %p0, i64 %lo, i64 %hi)", "(ptr %p0, i64 %lo, i64 %hi, i64 %size0)")
    sums = "entry:\n  %size0.0 = add i64 %size0, -1\n  %size0.1 = add i64 %size0, 7\n"
    assert general.text == whole.format("%size0", "%size0.0", "%size0.1", 5).replace("entry:\n", sums)
    assert [general.sizes(text) for text in texts] == [", i64 5", ", i64 6", ", i64 100"]


def transforms(x: Any, q: Any) -> Any:
    """Filter rows by a kernel for all of them, in a program that has modules of kernels."""
    rows = torch.cat([x, x.sin()], 1)
    length = rows.shape[1]
    found = torch.fft.irfft(torch.fft.rfft(rows) * torch.fft.rfft(q.sin() * rows[:1]), n=length)
    found = found + torch.fft.irfft(torch.fft.rfft(rows[:3].exp()), n=length).sum(0)
    return found.square().sum() + pyramid(found[:, : x.shape[1]], q)


def test_transforms_of_one_length_share_kernels(monkeypatch: pytest.MonkeyPatch) -> None:
    """LLVM compiles the loops of a length once, whatever the number of rows."""
    kernels = kernels_of(transforms, monkeypatch)
    long = [text for text in kernels.names if text.count("\n") >= modules.LINES]
    assert long
    assert all("%size" in text.partition(")")[0] for text in long)


SCALED = """(ptr %p0, i64 %lo, i64 %hi) nounwind #0 {{
  %v3 = fmul float %v2, {0}
  %v4 = fadd reassoc float %v3, 0x4000000000000000
  %v5 = select i1 %v1, float %v4, float {1}
  %v6 = mul nsw i64 %v0, {2}
  %v7 = fdiv float %v5, 0x4008000000000000
}}"""


def test_a_general_kernel_is_told_factors() -> None:
    """They come behind the sizes, each with its type."""
    one, two = "0x3FF0000000000000", "0x3FE0000000000000"
    texts = [SCALED.format(*numbers) for numbers in ((one, two, 5), (two, two, 5), (one, one, 6))]
    assert len({*map(pattern, texts)}) == 1
    general = General(texts)
    head = "(ptr %p0, i64 %lo, i64 %hi, i64 %size0, float %size1, float %size2)"
    whole = SCALED.replace("(ptr %p0, i64 %lo, i64 %hi)", head)
    assert general.text == whole.format("%size1", "%size2", "%size0")
    assert general.sizes(texts[0]) == f", i64 5, float {one}, float {two}"


def test_long_formulas_keep_their_numbers() -> None:
    """Thousands of arguments would be stored and loaded by each call."""
    texts = ["".join(f"  %v{n} = fmul float %x, 0x{n + m:016X}\n" for n in range(9)) for m in range(2)]
    assert pattern(texts[0]) != pattern(texts[1])


def test_what_divides_is_no_argument() -> None:
    """LLVM divides by a known number without dividing."""
    assert pattern("  %v1 = udiv i64 %v0, 7") != pattern("  %v1 = udiv i64 %v0, 8")
