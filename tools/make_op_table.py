"""Write docs/ops.md, the table of what each op can do, from the ops' declarations and their samples.

Run after an op or a row of samples was added, from the project's root: ``python -m tools.make_op_table``.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from tests.ops.capabilities import COLUMNS, CONVENTIONS, OPS, cells

PAGE = Path(__file__).parents[1] / "docs" / "ops.md"

HEAD = """# What each op can do

Every function of pullback is put together from the ops of this table; an op has the name of torch's function
where torch has one. Each cell stands for a generic test on rows of samples (`tests/ops/samples`):

| column | the test |
|---|---|
| forward | the value on tensors is that on arrays, and that of a reference where the row names one |
| vjp | the pulled covector against central differences |
| jvp | the pushed tangent against the pulled covector |
| double backward | the derivative of the pulled covector against central differences |
| vmap | the run over a batch against a loop over its rows |
| complex | all of these on complex inputs |
| compiled | values and gradients of the compiled op against eager (`tests/compiler/test_op_table.py`) |

✓: it is there, and the test runs. `rule`: vmap runs the whole batch in one call. `loop`: there is no batching
rule; vmap runs the rows one by one, and `pullback.core.batched.FALLBACKS` counts how often. Under *compiled*,
`loop`: the op is part of a native loop (or of no loop at all, as a view); `kernel`: the program calls the
op's array kernel between loops, as eager does. `data`: the shape of the result depends on the data, so there
is none to batch or trace. `random`: the op draws numbers, which other tests compare with torch's streams;
`zero` is torch's gradient of such a draw. `raises`: torch has no derivative either, and both say so. An empty
cell: not there.

This page is written by `python -m tools.make_op_table`; a test says when it is stale.
"""

#: The kinds of ops, in the order of the page, and what they are called there.
KINDS = {
    "elementwise": "Ops on each element",
    "reduce": "Reductions",
    "linear": "Linear ops",
    "bilinear": "Products",
    "view": "Views",
    "gather": "Ops that pick elements",
    "opaque": "Other ops",
}


def page() -> str:
    """The text of the page."""
    table = {name: cells(op) for name, op in sorted(OPS.items(), key=lambda item: item[0].lower())}
    counts = [Counter(row[k] for row in table.values() if row[k]) for k in range(len(COLUMNS))]
    lines = [
        HEAD, "", f"## Figures for {len(table)} ops", "", "| column | cells |", "|---|---|",
        *(
            f"| {column} | {', '.join(f'{n} {cell}' for cell, n in sorted(count.items(), key=_by_count))} |"
            for column, count in zip(COLUMNS, counts, strict=True)
        ),
        "", "## Derivatives by a convention of torch's", "",
        *(f"- `{name}`: {why}" for name, why in CONVENTIONS.items()),
    ]  # fmt: skip
    for kind, title in KINDS.items():
        rows = {name: row for name, row in table.items() if OPS[name].kind == kind}
        lines += [
            "", f"## {title}", "", '<div class="ops" markdown>', "", f"| op | {' | '.join(COLUMNS)} |",
            "|---" * (len(COLUMNS) + 1) + "|",
            *(f"| `{name}` | {' | '.join(row).replace('yes', '✓')} |" for name, row in rows.items()),
            "", "</div>",
        ]  # fmt: skip
    return "\n".join(lines) + "\n"


def _by_count(item: tuple[str, int]) -> tuple[int, str]:
    return -item[1], item[0]


def main() -> None:
    """Write the page."""
    PAGE.write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
