"""docs/ops.md says what the ops can do, and the tests that its cells stand for are run."""

from __future__ import annotations

from tools.make_op_table import PAGE, page

from pullback.core.op import TABLE

from .capabilities import CONVENTIONS, OPS, cells, derivative


def test_the_page_is_what_the_ops_and_samples_give() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "run python -m tools.make_op_table"


def test_every_op_has_the_cells_that_its_declaration_promises() -> None:
    for name in OPS:
        op = TABLE[name]
        forward, vjp, _, _, vmap, _, compiled = cells(op)
        assert forward and compiled, name
        assert vmap, f"{name}: a batching rule needs a row that is batched"
        assert bool(vjp) == op.derivable, f"{name}: rules need a row of floats"


def test_conventions_are_about_ops_without_smooth_rows() -> None:
    assert all(derivative(TABLE[name]) == "torch's" for name in CONVENTIONS)
