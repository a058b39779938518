"""What each op can do, told by its declaration and the rows of its samples; which row tests what.

`test_generic.py` takes the rows of its tests from here, and docs/ops.md its cells, so that a cell says what
a test has run. A cell is one of

- `yes`: a row of that op runs in the generic test of the column;
- `rule` or `loop` (vmap): with the batch as one call, or row by row, which is counted;
- `zero`: a random draw, to which torch gives the gradient zero;
- `raises`: torch has no derivative and says so, here too;
- `torch's`: a derivative by a convention, see `CONVENTIONS`;
- `loop` or `kernel` (compiled): as part of a native loop, or by its array kernel between loops;
- `random`, `data`: no such run, for the numbers are drawn or the shape depends on the data;
- nothing: not there.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from pullback.compiler.lower.equations import lower
from pullback.compiler.lower.filling import Call
from pullback.compiler.program.program import Program
from pullback.core.levels import fresh_level
from pullback.core.op import TABLE, Op
from pullback.core.recorder import Recorder
from pullback.core.value import run
from pullback.ops import declare_all

from .samples import Sample, table

ROWS = table()
#: The ops that have samples: what processes exchange, tests/distributed looks at, in several of them.
declare_all()
OPS = {name: op for name, op in TABLE.items() if not op.exchanges}
COLUMNS = ("forward", "vjp", "jvp", "double backward", "vmap", "complex", "compiled")

#: Ops whose derivative is not that of the kernel, and the test of what torch gives.
CONVENTIONS = {
    "ctc_loss": "torch's is that of unnormalised activations: recorded for tests/nn/expressions/ctc.txt",
    "standard_gamma": "the implicit derivative of a draw: recorded for tests/distributions",
    "as_strided_scatter": (
        "torch's covector of the first input is no derivative: recorded in "
        "tests/tensor/data/programs_numerics.json"
    ),
    "native_layer_norm_backward": "mean and scale follow the input: double backward of native_layer_norm",
    "native_batch_norm_backward": "mean and scale follow the input: double backward of native_batch_norm",
    "native_group_norm_backward": "mean and scale follow the input: double backward of native_group_norm",
    **dict.fromkeys(
        ("fake_quantize", "fake_quantize_by_channel", "fake_quantize_by_tensor"),
        "what rounds passes the covector on: tests/nn/test_fake_quantization.py",
    ),
}


#: Ops with a batching rule that leaves some calls to the loop.
_PARTLY = """
    conv_tbc embedding embedding_backward embedding_sparse index_add index_copy index_fill index_fill_tensor
    index_reduce index_select isin masked_scatter put
"""
PARTLY = frozenset(_PARTLY.split())


def is_array(v: Any) -> bool:
    return isinstance(v, np.ndarray)


def carries(v: Any) -> bool:
    """Whether a value has a gradient."""
    return is_array(v) and v.dtype.kind in "fc"


def has_rules(sample: Sample) -> bool:
    return TABLE[sample.op].derivable and any(carries(v) for v in sample.inputs)


def forward(sample: Sample) -> bool:
    return sample.deterministic


def vjp(sample: Sample) -> bool:
    return has_rules(sample) and sample.smooth


def pushed(sample: Sample) -> bool:
    return vjp(sample) and sample.forward


def not_pushed(sample: Sample) -> bool:
    """Whether torch has a vjp and no forward derivative, so that a tangent must raise."""
    return vjp(sample) and not sample.forward


def double(sample: Sample) -> bool:
    return vjp(sample) and sample.second


def batched(sample: Sample) -> bool:
    return bool(sample.batched) and sample.deterministic and any(is_array(v) for v in sample.inputs)


def of_complex(sample: Sample) -> bool:
    return sample.deterministic and any(is_array(v) and v.dtype.kind == "c" for v in sample.inputs)


def compiled(sample: Sample) -> bool:
    return sample.deterministic and sample.known_shape


def traced(sample: Sample) -> bool:
    return vjp(sample) and compiled(sample) and sample.traced


def data_shaped(sample: Sample) -> bool:
    """Whether the shape of the result depends on the data."""
    return sample.deterministic and not sample.known_shape and not sample.batched


def random(sample: Sample) -> bool:
    return not sample.deterministic


def no_rules(sample: Sample) -> bool:
    return not TABLE[sample.op].derivable and any(carries(v) for v in sample.inputs)


def undefined(sample: Sample) -> bool:
    """Whether a covector that reaches the op must raise."""
    return has_rules(sample) and not vjp(sample) and derivative(TABLE[sample.op]) == "raises"


@cache
def _by_op() -> dict[str, list[Sample]]:
    found: dict[str, list[Sample]] = {name: [] for name in TABLE}
    for row in ROWS:
        found[row.op].append(row)
    return found


def any_row(op: Op, wanted: Callable[[Sample], bool]) -> bool:
    return any(wanted(row) for row in _by_op()[op.name])


def derivative(op: Op) -> str:
    """The cell of an op's first derivatives."""
    if not op.derivable or not any_row(op, has_rules):
        return ""
    if any_row(op, vjp):
        return "yes"
    if op.name in CONVENTIONS:
        return "torch's"
    return "zero" if op.node_name != "NotImplemented" and any_row(op, random) else "raises"


def batching(op: Op) -> str:
    """The cell of vmap."""
    if not any_row(op, batched):
        return "random" if any_row(op, random) else "data" if any_row(op, data_shaped) else ""
    if op.batch_rule is None and op.batch is None and op.kind != "elementwise":
        return "loop"
    return "rule, partly loop" if op.name in PARTLY else "rule"


def cells(op: Op) -> tuple[str, ...]:
    """One cell for each of `COLUMNS`."""
    first = derivative(op)
    seconds = "yes" if any_row(op, double) else "" if first in ("yes", "zero") else first
    drawn = any_row(op, random)
    return (
        "random" if drawn and not any_row(op, forward) else "yes",
        first,
        "raises" if first == "yes" and not any_row(op, pushed) else first,
        seconds,
        batching(op),
        "yes" if any_row(op, of_complex) else "",
        _compiled_as(op) or ("random" if drawn else "data"),
    )


def _compiled_as(op: Op) -> str:
    """How a compiled program runs the op: of its rows the first that is compiled tells."""
    row = next((row for row in _by_op()[op.name] if compiled(row)), None)
    if row is None:
        return ""
    recorder = Recorder(fresh_level())
    arrays = [recorder.new(v.shape, v.dtype) if is_array(v) else None for v in row.inputs]
    inputs = tuple(v if a is None else a for v, a in zip(row.inputs, arrays, strict=True))
    results = run(op, inputs, row.attrs)
    outputs = [o.index for o in (results if isinstance(results, tuple) else (results,))]
    program = Program(
        [a.index for a in arrays if a is not None], recorder.equations, outputs, recorder.constants,
        recorder.shapes, recorder.dtypes,
    )  # fmt: skip
    calls = [node for node in lower(program).nodes if isinstance(node, Call) and node.op == op.name]
    return "kernel" if calls else "loop"
