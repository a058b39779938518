"""What a compiled function is made of, for people: program, kernels, LLVM text, times; and the check of its
numbers.
"""

from __future__ import annotations

import random
import warnings
from typing import Any

import numpy as np
import pytest

import pullback as torch
from pullback.compiler import NumericalDifference, Program, explain

pytest.importorskip("llvmlite")

from pullback.compiler.inspection.checking import Check
from pullback.compiler.inspection.listing import Printer
from pullback.compiler.inspection.timeline import ceilings
from pullback.compiler.lower.elementwise import form


def model_and_step() -> tuple[Any, Any]:
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.Tanh(), torch.nn.Linear(8, 3))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

    def step(x: Any, target: Any) -> Any:
        optimizer.zero_grad()
        loss = torch.nn.functional.cross_entropy(model(x), target)
        loss.backward()
        optimizer.step()
        return loss

    return model, step


def test_attributes_of_a_compiled_function() -> None:
    compiled = torch.compile(model_and_step()[1])
    assert compiled.program is None
    with pytest.raises(RuntimeError, match="it was not called yet"):
        str(compiled.kernels)
    compiled(torch.randn(5, 4), torch.zeros(5, dtype=torch.int64))
    assert Program.read(str(compiled.program)) == compiled.program
    text = str(compiled.kernels)
    assert "matrix product, 5 x 4 by 4 x 8" in text
    assert "tanh(" in text
    assert "define" in str(compiled.llvm)


def test_kernels_are_loops_that_python_runs() -> None:
    """The listing of a kernel, run by Python, gives what the native code gives."""
    compiled = torch.compile(lambda x: (x.sin() * 2 + x.exp()).sum(1).relu())
    x = torch.randn(3, 4, dtype=torch.float64)
    expected = compiled(x)
    executable = compiled._native.specializations[0].forward
    space: dict[str, Any] = {
        "sin": np.sin, "exp": np.exp, "maximum": max, "b0": np.array(x.tolist()).reshape(-1),
        **{f"b{b.number}": np.zeros(b.size) for b in executable.lowered.buffers[1:]},
    }  # fmt: skip
    exec(str(compiled.kernels), space)
    (output,) = executable.lowered.outputs
    np.testing.assert_allclose(space[f"b{output.number}"], expected.tolist())


def test_kernels_of_complex_numbers_are_listed() -> None:
    compiled = torch.compile(lambda x: (x * x.conj() * 1j, (x + 2).sum(), torch.view_as_real(x) * 3))
    x = torch.randn(3, dtype=torch.complex128)
    wanted = compiled(x)
    lowered = compiled._native.specializations[0].forward.lowered
    space: dict[str, Any] = {f"b{b.number}": np.zeros(b.size, b.dtype) for b in lowered.buffers}
    space["b0"] = np.array(x.tolist())
    exec(str(compiled.kernels), space)
    for output, result in zip(lowered.outputs, wanted, strict=True):
        np.testing.assert_allclose(space[f"b{output.number}"], np.ravel(result.tolist()))


@pytest.mark.parametrize("name", ["add", "clamp", "where", "gelu", "lerp", "logical_xor", "floor"])
def test_every_form_can_be_printed(name: str) -> None:
    from pullback.core.op import TABLE
    from tests.compiler.test_forms import ROWS

    sample = next(row for row in ROWS if row.op == name)
    ops = Printer()
    operands = [ops.made(f"x{n}", np.asarray(v).dtype, True) for n, v in enumerate(sample.inputs)]
    text = form(TABLE[name])(ops, *operands, *sample.attrs)
    compile("\n".join([*ops.lines, text.text]), "<listing>", "exec")


def test_a_timeline_has_a_row_for_each_step() -> None:
    compiled = torch.compile(model_and_step()[1])
    compiled(torch.randn(5, 4), torch.zeros(5, dtype=torch.int64))
    table = compiled.timeline()
    products = [row for row in table.rows if row.what.startswith("matrix product")]
    assert products[0].flops == 2 * 5 * 4 * 8
    assert products[0].bytes == 4 * (5 * 4 + 4 * 8 + 5 * 8)
    assert all(row.seconds >= 0 for row in table.rows)
    assert str(table).count("\n") == len(table.rows) + 1
    assert ceilings() is ceilings()


def test_draws_that_are_filled_together_have_a_row_each() -> None:
    compiled = torch.compile(lambda x: torch.rand(3) + torch.rand(5).sum() + torch.randn(3) * x)
    compiled(torch.ones(3))
    assert sum("array kernel" in row.what for row in compiled.timeline().rows) == 3


def test_a_timeline_of_factors_has_a_matrix_that_has_them() -> None:
    compiled = torch.compile(lambda a: torch.linalg.lu_factor(a)[0] + torch.linalg.cholesky(a))
    compiled(torch.eye(40))
    assert any("lu_factor" in row.what for row in compiled.timeline().rows)


def test_a_timeline_counts_what_convolutions_and_loops_compute() -> None:
    conv = torch.compile(torch.nn.functional.conv2d)
    conv(torch.randn(2, 3, 8, 8), torch.randn(4, 3, 3, 3))
    assert sum(row.flops for row in conv.timeline().rows) == 2 * (2 * 4 * 6 * 6) * (3 * 3 * 3)

    def steps(x: Any) -> Any:
        return torch.func.fori_loop(0, 50, lambda n, y: y * 2.0 + 1.0, x)

    loop = torch.compile(steps)
    loop(torch.randn(4))
    table = loop.timeline()
    assert sum(row.flops for row in table.rows) >= 50 * 2 * 4
    assert table.least > 0


def test_explain_calls_and_describes() -> None:
    model, step = model_and_step()
    before = model[0].weight.tolist()
    found = explain(step, torch.randn(5, 4), torch.zeros(5, dtype=torch.int64))
    assert model[0].weight.tolist() != before
    assert "equations in" in str(found)
    assert found.pullback is None
    assert Program.read(str(found.program)) == found.program
    x = torch.randn(2, 4, requires_grad=True)
    assert "its pullback" in str(explain(torch.compile(model), x))


def test_explain_says_why_a_function_runs_eagerly() -> None:
    with pytest.warns(UserWarning, match="runs eagerly"):
        found = explain(lambda x: x * random.getrandbits(3), torch.ones(2))
    assert "random.Random.getrandbits, of which nothing is known" in str(found)
    with pytest.raises(RuntimeError, match="has no program"):
        str(found.kernels)


def test_explain_lists_where_numbers_decide(capsys) -> None:
    def step(x: Any) -> Any:
        if x.sum() > 0:
            x = x + 1
        print("done")
        return x

    found = explain(step, torch.ones(2))
    line = step.__code__.co_firstlineno + 1
    assert found.breaks == [f"a number of a tensor decides what happens next ({__file__}:{line})"]
    assert "1 changes of Python's objects, or texts, follow it" in str(found)
    assert capsys.readouterr().out == "done\n"


def test_explain_under_modes_that_see_each_op() -> None:
    hooks = torch.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: t)
    with hooks, pytest.warns(UserWarning, match="called under modes that see each op"):
        found = explain(lambda x: x + 1, torch.ones(2))
    assert str(found) == "runs eagerly: it is called under modes that see each op"


# --- check=True ---------------------------------------------------------------------------------------------


def test_a_check_of_right_numbers_is_silent() -> None:
    step = torch.compile(model_and_step()[1], check=True)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for _ in range(2):
            step(torch.randn(5, 4), torch.zeros(5, dtype=torch.int64))


def test_a_check_names_the_first_line_that_differs(monkeypatch: Any) -> None:
    from pullback.core.op import TABLE

    def wrong(ops: Any, x: Any) -> Any:
        return ops.add(ops.function("exp", x), ops.constant(1e-3, x.dtype))

    monkeypatch.setattr(TABLE["exp"], "form", wrong)

    def function(x: Any) -> Any:
        y = x * 2
        z = y.exp()
        return z.sin()

    with pytest.warns(NumericalDifference) as found:
        torch.compile(function, check=True)(torch.zeros(3))
    text = str(found[0].message)
    assert f"test_report.py:{function.__code__.co_firstlineno + 2} (z = y.exp())" in text
    assert "element [0] of exp(v1) is 1.0 in eager and 1.00" in text
    assert "units in the last place" in text


def test_a_check_compares_pullbacks() -> None:
    compiled = torch.compile(lambda x: x.sin(), check=True)
    x = torch.ones(2, requires_grad=True)
    compiled(x).sum().backward()
    np.testing.assert_allclose(x.grad.tolist(), np.cos([1, 1]), rtol=1e-6)


def test_whole_numbers_differ_at_all_or_not() -> None:
    compiled = torch.compile(lambda x: x + 1)
    compiled(torch.tensor([1, 2]))
    check = Check(compiled.program, {})
    assert check.first_difference([np.array([1, 2])]) is None
