"""Native code from programs: it computes what the NumPy replay computes."""

from __future__ import annotations

import random
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pullback as torch
from pullback import nn
from pullback.compiler import trace

pytest.importorskip("llvmlite")
from pullback.compiler.emit import codegen
from pullback.compiler.emit.emitter import Module
from pullback.compiler.emit.modules import Kernels
from pullback.compiler.emit.writer import STRETCH
from pullback.compiler.lower.equations import lower
from pullback.compiler.lower.kernel import Kernel
from pullback.compiler.lower.lowered import Contraction
from pullback.compiler.passes.fusion import NUMBERS
from pullback.compiler.passes.pipeline import planned
from pullback.compiler.runtime import engine
from pullback.compiler.runtime.executable import Executable

from .agreement import CALLS, anew


def agree(step: Callable[..., Any], *args: Any, state: Any = (), tolerance: float = 2e-6) -> Executable:
    """Trace a step, compile its program, and compare every output with the replay's."""
    traced = trace(step, *args, state=state)
    compiled = Executable(traced.program)
    calls = [[anew(np.ascontiguousarray(t._value), n).reshape(t.shape) for t in traced._reads]
             for n in range(CALLS)]  # fmt: skip
    found = [compiled.run(*arrays) for arrays in calls]
    for arrays, results in zip(calls, found, strict=True):
        for want, got in zip(traced.program.run(*arrays), results, strict=True):
            assert want.dtype == got.dtype
            scale = np.abs(want).max() if want.size and want.dtype.kind == "f" else 1
            np.testing.assert_allclose(got, want, rtol=tolerance, atol=tolerance * scale)
    return compiled


def leaf(*shape: int) -> Any:
    return torch.randn(*shape).requires_grad_()


def backward_of(function: Callable[..., Any]) -> Callable[..., Any]:
    def step(*leaves: Any) -> Any:
        for x in leaves:
            x.grad = None
        out = function(*leaves)
        out.backward()
        return out

    return step


def test_chain_of_scalars_is_one_kernel():
    def function(x):
        y = x
        for _ in range(20):
            y = torch.tanh(torch.sin(y * x + x))
        return y

    compiled = agree(backward_of(function), torch.tensor(0.7, requires_grad=True))
    assert len(compiled.steps) == 1
    assert compiled.plan.arena_bytes == 0


@pytest.mark.parametrize("size", [7, 4096, 10_000])
def test_elementwise_and_sum_are_one_kernel(size):
    compiled = agree(backward_of(lambda x: (x.sin() * x.exp() + x.tanh() / (1 + x * x)).sum()), leaf(size))
    assert len(compiled.steps) == 1


@pytest.mark.parametrize(
    "function",
    [
        lambda x: torch.softmax(x, -1).pow(2).sum(),
        lambda x: torch.log_softmax(x, 0).sum(0).pow(2).mean(),
        lambda x: (x - x.mean(1, keepdim=True)).pow(2).mean(),
        lambda x: x.t().reshape(6, -1).sum(1).pow(2).sum(),
        lambda x: (x[:, 1:] - x[:, :-1]).abs().amax(1).sum(),
        lambda x: x.permute(1, 0).contiguous().view(3, -1).var(1).sum(),
        lambda x: torch.where(x > 0, x, 0.1 * x).sum() * x.max(),
        lambda x: (x @ x.t()).relu().sum(),
    ],
)
def test_reductions_views_and_products(function):
    torch.manual_seed(0)
    agree(backward_of(function), leaf(12, 9))


def test_training_step_of_a_network():
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 5))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    x, target = torch.randn(6, 8), torch.randint(0, 5, (6,))

    def step(x, target):
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(x), target)
        loss.backward()
        optimizer.step()
        return loss

    step(x, target)
    agree(step, x, target, state=[model, optimizer])


def test_ops_without_lowering_run_by_their_array_kernels():
    compiled = agree(backward_of(lambda x: torch.cummax(x.sin(), 0)[0].exp().sum()), leaf(5, 4))
    assert any(getattr(step, "op", None) == "cummax" for step in compiled.steps)


def test_programs_of_very_many_steps() -> None:
    """More buffers, kernels and steps than one function holds: memory is still shared, and values
    are right.
    """

    def function(x: Any, w: Any) -> Any:
        total = x.sum()
        for n in range(300):
            x = x @ w if n % 3 else (x + w[n % 7]).tanh()
            total = total + x.sum()
        return total

    torch.manual_seed(0)
    small = (torch.randn(8, 8) * 0.2).requires_grad_()
    compiled = agree(backward_of(function), leaf(2, 8), small, tolerance=1e-5)
    assert compiled.plan.arena_bytes < 200_000


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ((5, 6), (7, 6, 1)),
        ((5, 6), (2, 7, 6, 3)),
        ((1, 1, 5, 6), (2, 7, 6, 1)),
        ((2, 7, 1, 6), (6, 5)),
        ((7, 3, 6), (1, 6, 5)),
        ((1, 6), (7, 6, 1)),
    ],
)
def test_a_matrix_and_a_batch_of_narrow_matrices_are_one_product(left, right):
    x, y = torch.randn(*left), torch.randn(*right)
    compiled = agree(lambda x, y: x @ (y * y), x, y)
    (product,) = (step for step in compiled.steps if isinstance(step, Contraction))
    assert product.batch == ()
    # From parts of memory that do not lie in a row, too.
    agree(lambda x, y: (x @ y.flip(0).mT.contiguous().mT).mT.sin(), x, y)


def test_jacobian_of_a_layer_is_one_product_of_its_weight():
    weight, bias, x = torch.randn(8, 9), torch.randn(8), torch.randn(9)
    jacobian = torch.func.jacrev(lambda x: torch.tanh(weight @ x + bias))
    compiled = agree(jacobian, x)
    assert [step.batch for step in compiled.steps if isinstance(step, Contraction)] == [(), ()]


@pytest.mark.parametrize("transposed", [False, True])
def test_large_matrix_times_vector_is_a_loop(transposed):
    matrix = torch.randn(1100, 1000)
    vector = torch.randn(1100 if transposed else 1000)
    compiled = agree(lambda m, v: (m.T if transposed else m) @ v.sin(), matrix, vector, tolerance=2e-5)
    assert not any(isinstance(step, Contraction) for step in compiled.steps)
    # A matrix that is computed is never stored.
    compiled = agree(lambda m, v: (m * m) @ v.sin() if not transposed else (m * m).T @ v, matrix, vector,
                     tolerance=2e-5)
    assert compiled.plan.arena_bytes < matrix.numel()


def test_both_products_of_a_regression_go_over_its_rows_once():
    rows, target = torch.randn(11_000, 100), (torch.randn(11_000) > 0).float()
    loss = nn.functional.binary_cross_entropy_with_logits

    def step(weight, rows, target):
        weight.grad = None
        loss(rows @ weight, target).backward()
        return weight.grad

    weight = leaf(100)
    compiled = agree(step, weight, rows, target, tolerance=2e-5)
    (number,) = (b.number for b in compiled.lowered.inputs if b.shape == rows.shape)
    reading = [step for step in compiled.steps if isinstance(step, Contraction) or number in step.buffers]
    assert len(reading) == 1


def irregular(count: int) -> Callable[..., Any]:
    """A chain in which nothing repeats: each operation is drawn, and so is what it takes."""

    def function(x):
        drawn = random.Random(3)
        values = [x * 0.5, x + 0.25]
        for _ in range(count):
            y, other = values[-1], drawn.choice(values[-30:])
            kind = drawn.randrange(6)
            if kind == 0:
                values.append((y * other) * 0.9)
            elif kind == 1:
                values.append((y - other) * 0.7)
            else:
                values.append([torch.sin, torch.cos, torch.tanh, torch.sigmoid][kind - 2](y))
        return sum(values[-30:])

    return function


@pytest.mark.parametrize("endless", [codegen.ENDLESS, 100])
def test_long_irregular_programs_are_cut(endless, monkeypatch):
    monkeypatch.setattr(codegen, "ENDLESS", endless)
    monkeypatch.setenv("PULLBACK_COMPILE_PROCESSES", "0")
    x = torch.tensor(0.7, dtype=torch.float64, requires_grad=True)
    compiled = agree(backward_of(irregular(700)), x, tolerance=1e-9)
    kernels = [step for step in compiled.steps if isinstance(step, Kernel)]
    assert len(kernels) > 1 and max(len(kernel.nodes) for kernel in kernels) <= NUMBERS
    # What goes from one kernel to the next goes through memory that both find by themselves.
    assert "kernel1(ptr %table, " in compiled.llvm


def test_long_programs_of_few_kinds_of_steps_share_their_kernels():
    """However steps on small arrays follow each other, each kind of step is compiled once."""

    def function(x):
        drawn, values = random.Random(0), [x, x + 1, x * 2]
        kinds = [torch.matmul, lambda a, b: a - b.mean(0), lambda a, b: torch.cat([a[1:], b[:1]])]
        for _ in range(350):
            values.append(drawn.choice(kinds)(*drawn.choices(values[-3:], k=2)))
        return values[-1]

    kernels = Kernels(Module(), lambda text, effort: lambda: codegen.NOTHING)
    planned(lower(trace(function, torch.randn(4, 4)).program), kernels)
    assert len(kernels.names) < 10


def test_what_calls_products_is_compiled_in_haste(monkeypatch):
    """Passes took as long for a table of pointers as for a short kernel."""
    given, compiled = [], codegen.compiled
    monkeypatch.setattr(codegen, "compiled", lambda *text: given.append(text) or compiled(*text))
    matrices = [torch.randn(n, n + 1, dtype=torch.float64) for n in (5, 6)]
    agree(lambda x, w: (x @ w).sin() @ w.t(), *matrices, tolerance=1e-12)
    efforts = [effort for text, effort in given if "void @product0(ptr %a" in text]
    assert efforts == [codegen.HASTY]


@pytest.mark.parametrize("count", [100, 300])
def test_kernels_that_are_called_often_are_not_copied(count):
    def function(x, w, v):
        drawn = random.Random(3)
        for _ in range(count):
            w, v = (v, w) if drawn.random() < 0.5 else (w, v)
            # The second half of a matrix lies behind its first.
            x = (x @ w[6:] - x) if drawn.random() < 0.9 else v[:6] @ x
        return x

    wide = {"dtype": torch.float64}
    matrices = [torch.randn(12, 6, **wide) * 0.3 for _ in range(2)]
    compiled = agree(function, torch.randn(6, 6, **wide), *matrices, tolerance=1e-9)
    if count < STRETCH:
        assert "noinline" in next(line for line in compiled.llvm.split("\n") if "void @kernel0(" in line)
    else:
        # No function calls them all.
        assert compiled.llvm.count("define internal void @stretch") > 1


@pytest.mark.parametrize("mask", [None, "causal", "bool"])
def test_an_attention_multiplies_queries_and_keys_once(mask):
    seen = torch.ones(9, 9, dtype=torch.bool).tril() if mask == "bool" else None
    query, key, value = (leaf(2, 3, 9, 5) for _ in range(3))

    def step(query, key, value):
        out = nn.functional.scaled_dot_product_attention(query, key, value, seen, is_causal=mask == "causal")
        return torch.autograd.grad(out.sin().sum(), (query, key, value))

    compiled = agree(step, query, key, value, tolerance=1e-5)
    # Two forward, four backward: the scores are those of the forward pass.
    assert sum(isinstance(step, Contraction) for step in compiled.steps) == 6


def test_the_largest_of_masked_numbers_is_found_in_vectors():
    x, seen = torch.randn(8, 64), torch.ones(64, dtype=torch.bool)
    seen[5:] = False
    compiled = agree(lambda x: torch.where(seen, x, -torch.inf).amax(1), x)
    assert "llvm.vector.reduce.fmaximum" in str(codegen.module(compiled.llvm, codegen.Effort()))


@pytest.mark.parametrize(
    "function", [lambda x: 2**x, lambda x: x**x, lambda x: x**2, lambda x: x / 2, lambda x: x // 2 % 3]
)
def test_arithmetic_of_integers(function):
    for dtype in (torch.int32, torch.int64):
        agree(function, torch.tensor([0, 3, 1, 2], dtype=dtype))
    agree(lambda x: 0**x, torch.tensor([[0, 3], [1, 2]], dtype=torch.int32))


@pytest.mark.skipif(sys.platform != "linux", reason="the format of other systems' objects is not read")
def test_machine_code_that_calls_what_is_nowhere_is_not_run() -> None:
    calls = engine.whole(["declare void @pullback_nowhere()", "define void @f() #0 {"],
                         ["  call void @pullback_nowhere()", "  ret void", "}"])  # fmt: skip
    with pytest.raises(RuntimeError, match="calls pullback_nowhere, which no library here has"):
        engine.Library(calls, {}).address("f")
    assert engine.Library(calls, {"pullback_nowhere": 1}).address("f")
