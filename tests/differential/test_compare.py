"""The comparison notices what it should, and forgives what it should."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

torch = pytest.importorskip("torch")

from .check import examine, first_of, shrink  # noqa: E402  # needs torch
from .compare import UNDECIDED  # noqa: E402
from .program import Code, Instruction, Literal, Program, Ref  # noqa: E402


class Almost(SimpleNamespace):
    """torch with some functions replaced."""

    def __getattr__(self, name: str) -> Any:
        return getattr(torch, name)


def leaf(*values: float, dtype: str = "float32") -> Instruction:
    return Instruction("tensor", (Literal(dtype, (len(values),), values, requires_grad=True),))


def kinds(program: Program, **replaced: Any) -> list[str]:
    return [mismatch.kind for mismatch in examine(program, torch, Almost(**replaced))[1]]


EXP = Program((leaf(0.5, 1.0), Instruction("torch.exp", (Ref(0),))))
TWICE = Program(
    (
        *EXP.instructions,
        Instruction("torch.autograd.backward", ([Ref(1)], [Literal("float32", (2,), (1.0, 2.0))])),
    )
)


def test_equal() -> None:
    assert kinds(TWICE) == []


def test_value() -> None:
    assert set(kinds(EXP, exp=lambda x: x.exp() * 1.0001)) == {"grad_fn", "value"}


def test_last_bits_are_forgiven() -> None:
    def exp(x: Any) -> Any:
        y = x.exp()
        with torch.no_grad():
            y.copy_(y * (1 + 2e-7))
        return y

    assert kinds(EXP, exp=exp) == []


def test_a_value_that_torch_itself_rounds_badly() -> None:
    # (1e4 + x) - 1e4 keeps three digits of x in float32: as bad a result of another rounding is accepted.
    program = Program((leaf(0.123, 0.456), Instruction("torch.special.expm1", (Ref(0),))))

    def coarse(x: Any) -> Any:
        return (x.exp() - 1 + 1e4) - 1e4 if x.dtype is torch.float32 else x.expm1()

    other = Almost(special=SimpleNamespace(expm1=lambda x: (1e4 + (x.exp() - 1)) - 1e4))
    reference = Almost(special=SimpleNamespace(expm1=coarse))
    assert {mismatch.kind for mismatch in examine(program, reference, other)[1]} <= {"grad_fn"}
    exact = Almost(special=SimpleNamespace(expm1=lambda x: x.expm1() * 1.01))
    assert "value" in {mismatch.kind for mismatch in examine(program, reference, exact)[1]}


def test_rounding_that_decides_a_comparison() -> None:
    # 3 · 0.1 is above 0.3 in float64, and equal to it in float32.
    triple = (leaf(0.1), Instruction("mul", (Ref(0), 3)))
    program = Program((*triple, Instruction("torch.gt", (Ref(1), 0.3))))
    assert kinds(program, gt=torch.ge) == [UNDECIDED] * 2
    assert set(kinds(program, gt=torch.lt)) == set()
    half = Program((leaf(0.5), Instruction("torch.gt", (Ref(0), 0.25))))
    assert kinds(half, gt=torch.lt) == ["value"] * 2


@pytest.mark.parametrize(
    "replacement, kind",
    [
        (lambda x: x.exp().double(), "dtype"),
        (lambda x: x.exp()[:1], "shape"),
        (lambda x: x.exp().detach(), "requires_grad"),
        (lambda x: x.exp().view(2), "is_view"),
        (lambda x: torch.exp(x).clone(), "grad_fn"),
        (lambda x: torch.stack([x.exp(), x.exp()], 1)[:, 0], "stride"),
        (lambda x: torch.absent(x), "missing"),
        (lambda x: {}[0], "unexpected error"),
        (lambda x: (x.exp(),), "type"),
    ],
)
def test_kinds(replacement: Any, kind: str) -> None:
    assert kind in kinds(EXP, exp=replacement)


def test_errors() -> None:
    def other_class(x: Any) -> Any:
        raise ValueError("exp(): argument 'input' (position 1) must be Tensor, not float")

    def other_text(x: Any) -> Any:
        raise TypeError("not a tensor")

    program = Program((Instruction("torch.exp", (1.5,)),))
    assert kinds(program) == []
    assert kinds(program, exp=other_class) == ["error class"]
    assert kinds(program, exp=other_text) == ["error text"]
    assert kinds(program, exp=lambda x: torch.ones(1)) == ["no error"]


def test_gradient_and_hooks() -> None:
    class Wrong(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x.exp()

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g

    hook = Instruction(".register_hook", (Ref(0), Code("lambda g: log.append(g)")))
    program = Program(
        (
            leaf(0.5, 1.0),
            hook,
            Instruction("torch.exp", (Ref(0),)),
            Instruction("torch.autograd.grad", ([Ref(2)], [Ref(0)], [Literal("float32", (2,), (1.0, 2.0))])),
        )
    )
    found = [
        mismatch
        for mismatch in examine(program, torch, Almost(exp=Wrong.apply))[1]
        if mismatch.kind == "gradient"
    ]
    assert [mismatch.where for mismatch in found] == ["[0]", "[0] at the end", "[0] log"]


def test_shrinking() -> None:
    program = Program(
        (
            leaf(0.5, 1.0),
            leaf(2.0, 3.0),
            Instruction("mul", (Ref(0), Ref(1))),
            Instruction("torch.exp", (Ref(1),)),
            Instruction("add", (Ref(2), Ref(3))),
            Instruction(".sum", (Ref(4),)),
        )
    )
    tested = Almost(exp=lambda x: x.exp() * 2)
    first = first_of(examine(program, torch, tested)[1])
    assert first is not None
    small, _, _ = shrink(program, first, torch, tested)
    assert small.instructions == (leaf(2.0, 3.0), Instruction("torch.exp", (Ref(0),)))


def test_the_script_runs() -> None:
    names: dict[str, Any] = {}
    exec(TWICE.script(), names)
    assert names["v0"].grad.tolist() == [
        pytest.approx(torch.tensor(0.5).exp().item()),
        pytest.approx(2 * torch.e**1),
    ]
