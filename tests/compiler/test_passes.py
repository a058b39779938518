"""The passes: what each leaves out, and that it is no more; programs as text; what the verifier refuses."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pullback as torch
from pullback.compiler import Program, ProgramError, trace
from pullback.compiler.passes.pipeline import PIPELINE, optimized
from pullback.compiler.passes.simplification import algebra, common_subexpressions, dead_code
from pullback.compiler.program.text import UnreadableError
from pullback.compiler.program.verify import verify
from pullback.core.recorder import Equation, Reference


def program_of(function: Callable[..., Any], *inputs: Any) -> Program:
    return trace(function, *inputs).program


def ops(program: Program) -> list[str]:
    return [equation.op for equation in program.equations]


def same_results(before: Program, after: Program, *arrays: Any) -> None:
    for want, got in zip(before.run(*arrays), after.run(*arrays), strict=True):
        assert want.dtype == got.dtype
        assert want.tobytes() == got.tobytes()


#: Every kind of number that an exact pass must leave as it is.
NUMBERS = np.array([[0.0, -0.0, 1.5], [np.inf, -np.inf, np.nan]], np.float32)


@pytest.mark.parametrize(
    ("function", "left"),
    [
        (lambda x: (x * 1) / 1 - 0, []),
        (lambda x: x * torch.ones(2, 3), []),
        (lambda x: x.neg().neg(), []),
        (lambda x: x.double().float(), []),
        (lambda x: x.to(torch.float32) + 1, ["add"]),
        (lambda x: x.t().t().sin(), ["sin"]),
        (lambda x: x.permute(1, 0).permute(1, 0).sin(), ["sin"]),
        (lambda x: x + 0, ["add"]),
        (lambda x: x - -0.0, ["sub"]),
        (lambda x: x.half().float(), ["cast", "cast"]),
        (lambda x: x * 2, ["mul"]),
    ],
)
def test_algebra_is_exact(function: Any, left: list[str]) -> None:
    before = program_of(function, torch.tensor(NUMBERS))
    after = dead_code(algebra(before))
    assert [name.removesuffix("_number") for name in ops(after)] == left
    with np.errstate(all="ignore"):
        same_results(before, after, NUMBERS)


def test_what_is_computed_twice_is_computed_once() -> None:
    before = program_of(lambda x: (x.sin() * x.cos(), x.sin() + x.cos()), torch.ones(3))
    after = common_subexpressions(before)
    assert sorted(ops(after)) == ["add", "cos", "mul", "sin"]
    same_results(before, after, np.linspace(0, 1, 3, dtype=np.float32))


def test_numbers_that_are_equal_are_not_the_same() -> None:
    before = program_of(lambda x: torch.copysign(x, 0.0) + torch.copysign(x, -0.0), torch.ones(3))
    assert len(common_subexpressions(before).equations) == len(before.equations)


def test_random_numbers_are_drawn_as_often_as_they_were() -> None:
    def function(x: Any) -> Any:
        torch.nn.functional.dropout(x)
        return torch.nn.functional.dropout(x) + torch.nn.functional.dropout(x)

    before = program_of(function, torch.ones(3))
    assert ops(before).count("dropout_noise") == ops(optimized(before)).count("dropout_noise") == 3


def test_what_nobody_reads_is_left_out() -> None:
    def function(x: Any) -> Any:
        x.exp().sum()
        return x.sin()

    assert ops(dead_code(program_of(function, torch.ones(3)))) == ["sin"]


def step() -> Program:
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.GELU(), torch.nn.Linear(8, 3))
    optimizer = torch.optim.Adam(model.parameters())

    def one(x: Any, target: Any) -> Any:
        optimizer.zero_grad()
        loss = torch.nn.functional.cross_entropy(model(x), target)
        loss.backward()
        optimizer.step()
        return loss

    x, target = torch.randn(5, 4), torch.randint(0, 3, (5,))
    one(x, target)
    return trace(one, x, target, state=[model, optimizer]).program


def test_a_training_step_gets_smaller_and_stays_the_same() -> None:
    before = step()
    after = optimized(before)
    assert len(after.equations) < len(before.equations)
    rng = np.random.default_rng(0)
    arrays = [
        np.abs(rng.normal(size=before.shapes[n])).astype(before.dtypes[n])
        if before.dtypes[n].kind == "f" else np.ones(before.shapes[n], before.dtypes[n])
        for n in before.inputs
    ]  # fmt: skip
    same_results(before, after, *arrays)


PASSES = [stage.change for stage in PIPELINE if stage.of == "program"]


@pytest.mark.parametrize("change", PASSES, ids=lambda change: change.__name__)
def test_a_pass_finds_nothing_more_the_second_time(change: Any) -> None:
    once = change(optimized(step()))
    assert change(once) == once


# --- text ---------------------------------------------------------------------------------------------------


def test_a_program_reads_back_equal_and_runs_as_python() -> None:
    program = step()
    text = str(program)
    assert Program.read(text) == program
    space: dict[str, Any] = {}
    exec(text, space)
    rng = np.random.default_rng(0)
    arrays = [np.abs(rng.normal(size=program.shapes[n])).astype(program.dtypes[n]) for n in program.inputs]
    for want, got in zip(program.run(*arrays), space["program"](*arrays), strict=True):
        np.testing.assert_array_equal(got, want)


def test_constants_and_attributes_keep_their_kind() -> None:
    def function(x: Any) -> Any:
        table = torch.arange(40.0).reshape(10, 4)
        weights = torch.tensor([1.5, float("inf"), float("nan"), -0.0], dtype=torch.bfloat16)
        return x @ table.t() * float("inf"), weights + x.bfloat16(), torch.cat([x, x], 0)

    program = program_of(function, torch.ones(2, 4))
    again = Program.read(str(program))
    assert again == program
    other = Program.read(str(program).replace("float32[2,4]", "float64[2,4]"))
    assert other != program


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("def program(v0:", "no Python"),
        ("x = 1", "no function 'program'"),
        ("def program(v0):  # float32[2]\n    v1 = nonsense(v0)  # float32[2]\n    return (v1,)", "no op"),
        ("def program(v0):  # float32[2]\n    print(v0)\n    return (v0,)", "no equation"),
    ],
)
def test_texts_that_are_no_program(text: str, message: str) -> None:
    with pytest.raises(UnreadableError, match=message):
        Program.read(text)


# --- the verifier -------------------------------------------------------------------------------------------


def small(**changes: Any) -> Program:
    fields: dict[str, Any] = {
        "inputs": [0], "equations": [Equation("sin", (Reference(0),), (), (1,), False)], "outputs": [1],
        "constants": {}, "shapes": [(2,), (2,)], "dtypes": [np.dtype(np.float32)] * 2,
    }  # fmt: skip
    return Program(**{**fields, **changes})


FIRST = (Reference(0),)


def equation(
    op: str, operands: Any = FIRST, attrs: Any = (), outputs: Any = (1,)
) -> list[Equation]:
    return [Equation(op, operands, attrs, outputs, False)]


@pytest.mark.parametrize(
    ("program", "message"),
    [
        (small(equations=equation("sin", (Reference(1),))), "v1 is used before it is defined"),
        (small(equations=equation("nonsense")), "no op 'nonsense'"),
        (small(equations=equation("sin") * 2), "v1 is defined twice"),
        (small(equations=equation("add")), "add takes 2 operands, not 1"),
        (small(equations=equation("sin", attrs=(3,))), "sin has 0 attributes, not 1"),
        (small(equations=equation("sum", attrs=([0], False))), "an attribute of sum may change"),
        (small(equations=equation("sin", outputs=(1, 2))), "sin has 1 outputs, not 2"),
        (small(outputs=[2]), "the output v2 is not defined"),
        (small(inputs=[0, 0]), "an input is defined twice"),
        (small(shapes=[(2,), (3,)]), "sin gives"),
        (small(dtypes=[np.dtype(np.float32), np.dtype(np.float64)]), "sin gives"),
    ],
)
def test_programs_that_are_not_well_formed(program: Program, message: str) -> None:
    with pytest.raises(ProgramError, match=message):
        verify(program, kinds=True)


def test_a_program_that_is_well_formed() -> None:
    verify(small(), kinds=True)


def test_the_pipeline_names_every_rewrite_in_order() -> None:
    names: dict[str, list[str]] = {}
    for stage in PIPELINE:
        names.setdefault(stage.of, []).append(stage.change.__name__)
    assert list(names) == ["trace", "halves", "half", "program", "plan"]
    assert names["plan"] == ["scheduled", "emitted", "cut", "with_bodies", "laid_out"]
    pytest.importorskip("llvmlite")
    from pullback.compiler.passes import memory_plan

    assert all(callable(getattr(memory_plan, name)) for name in names["plan"])


def test_a_sum_of_many_arrays_is_added_up_as_they_are_filled() -> None:
    def added(x: torch.Tensor) -> torch.Tensor:
        total, row = x, x[0]
        for _ in range(12):
            term = (x * row).tanh()
            row = term.sum(0)
            total = total + term
        return total

    x = torch.rand(100, 100) / 100
    compiled = torch.compile(added, fullgraph=True)
    torch.testing.assert_close(compiled(x), added(x))
    assert max(len(set(re.findall(r"b\d+", k))) for k in str(compiled.kernels).split("\n\n")) <= 8
