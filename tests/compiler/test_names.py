"""torch.compile and the names of torch.compiler, with native code behind them."""

from __future__ import annotations

from typing import Any

import pytest

import pullback as torch

pytest.importorskip("llvmlite")
pytestmark = pytest.mark.usefixtures("in_haste")


def double(x: Any) -> Any:
    return x * 2


def traces(compiled: Any) -> int:
    return len(compiled._native.specializations)


@pytest.mark.parametrize(
    "options",
    [
        {}, {"backend": "inductor"}, {"backend": "native"}, {"mode": "max-autotune"}, {"dynamic": True},
        {"options": {"trace.enabled": True}}, {"fullgraph": True},
    ],
)  # fmt: skip
def test_native_code_is_the_default(options: dict[str, Any]) -> None:
    compiled = torch.compile(double, **options)
    assert compiled(torch.ones(2)).tolist() == [2, 2]
    assert traces(compiled) == 1


@pytest.mark.parametrize("backend", ["eager", "aot_eager", lambda graph, inputs: graph])
def test_other_backends_run_eagerly(backend: Any) -> None:
    compiled = torch.compile(double, backend=backend)
    assert compiled._native is None
    assert compiled(torch.ones(2)).tolist() == [2, 2]


def test_the_environment_can_turn_native_code_off(monkeypatch: Any) -> None:
    monkeypatch.setenv("PULLBACK_NATIVE", "0")
    assert torch.compile(double)._native is None


def test_a_trace_knows_that_it_is_one() -> None:
    seen = []

    def function(x: Any) -> Any:
        return x + 1 if torch.compiler.is_compiling() else x - 1

    seen.append(function(torch.zeros(1)).item())
    seen.append(torch.compile(function)(torch.zeros(1)).item())
    assert seen == [-1, 1]
    assert not torch.compiler.is_compiling()
    assert not torch._dynamo.is_compiling()


def test_disabled_functions_run_as_python() -> None:
    @torch.compiler.disable
    def inner(x: Any) -> Any:
        return x + x.sum().item()

    assert torch.compile(inner) is inner
    compiled = torch.compile(lambda x: inner(x) * 2)
    with pytest.warns(UserWarning, match="calls .*inner, which torch.compiler.disable excludes"):
        assert compiled(torch.ones(2)).tolist() == [6, 6]


def test_stances() -> None:
    compiled = torch.compile(double)
    with torch.compiler.set_stance("force_eager"):
        compiled(torch.ones(2))
    assert traces(compiled) == 0
    compiled(torch.ones(2))
    with torch.compiler.set_stance("eager_on_recompile"):
        assert compiled(torch.ones(3)).tolist() == [2, 2, 2]
    with torch.compiler.set_stance("fail_on_recompile"), pytest.raises(RuntimeError, match="recompile"):
        compiled(torch.ones(4))
    assert traces(compiled) == 1


def test_reset_forgets_programs() -> None:
    compiled = torch.compile(double)
    compiled(torch.ones(2))
    torch._dynamo.reset()
    assert traces(compiled) == 0
    assert compiled(torch.ones(2)).tolist() == [2, 2]


def test_a_compiled_function_inside_another_is_part_of_it() -> None:
    inner = torch.compile(double)
    outer = torch.compile(lambda x: inner(x) + 1)
    assert outer(torch.ones(2)).tolist() == [3, 3]
    assert (traces(inner), traces(outer)) == (0, 1)


def test_results_that_share_memory() -> None:
    compiled = torch.compile(lambda x: (x.t(), x.detach(), (y := x * 2), y[0], y))
    x = torch.ones(2, 3, requires_grad=True)
    transposed, detached, y, row, again = compiled(x)
    assert again is y
    with torch.no_grad():
        y.add_(1)
        x.add_(4)
    assert row.tolist() == [3, 3, 3]
    assert transposed._base is x
    assert (transposed[0, 0].item(), detached[0, 0].item()) == (5, 5)
    transposed.sum().backward()
    assert x.grad.tolist() == [[1, 1, 1], [1, 1, 1]]


def test_a_view_in_another_dtype_runs_eagerly() -> None:
    compiled = torch.compile(lambda x: x.view(torch.int32))
    x = torch.ones(2)
    with pytest.warns(UserWarning, match="memory in another dtype"):
        seen = compiled(x)
    assert seen.dtype == torch.int32
    x.zero_()
    assert seen.tolist() == [0, 0]


def test_covectors_that_do_not_arrive_touch_nothing() -> None:
    compiled = torch.compile(lambda x, y: (x.log(), y * 2))
    x, y = torch.zeros(2, requires_grad=True), torch.ones(2, requires_grad=True)
    compiled(x, y)[1].sum().backward()
    assert x.grad is None
    assert y.grad.tolist() == [2, 2]


def test_a_constant_written_to_later_is_what_it_was() -> None:
    def function(x: Any) -> Any:
        shift = torch.zeros(2)
        first = x + shift
        shift += 1
        return first, x + shift

    first, second = torch.compile(function)(torch.ones(2))
    assert (first.tolist(), second.tolist()) == ([1, 1], [2, 2])
