"""What is looked up by an op's base is told under names that are one: under others nothing would find it."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

pytest.importorskip("llvmlite")

from pullback.compiler.lower import equations
from pullback.core.op import TABLE
from pullback.explain import formula, inside, vanished
from pullback.ops import declare_all
from pullback.torch_names.onnx.translation import RULES


@pytest.mark.parametrize(
    "names",
    [
        RULES, equations.RULES, formula.INFIX, formula.SILENT, formula.KNOWN, vanished.STEPS,
        vanished.SELECTIONS, vanished.DRAWS, vanished.causes(), inside.PRODUCTS,
    ],
    ids=range(10),
)  # fmt: skip
def test_names_are_bases(names: Iterable[str]) -> None:
    declare_all()
    assert {*names} <= {op.base for op in TABLE.values()}
