"""Kernels that do not depend on each other, run by the threads together.

The updates of a model's parameters are dozens of kernels, each too small to be cut into parts. Kernels that
follow each other, of which none touches what another writes, make one job of the pool: its parts are those of
the first kernel, then those of the second, and so on. As with parts of one kernel, the cut depends on the
work alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..lower.kernel import Emission, Kernel
from .parallel_rows import MOST, PART, WORTH
from .product_chains import Chain


def grouped(
    steps: Sequence[Any], emissions: dict[int, Emission], chains: Sequence[Chain] = ()
) -> list[list[int]]:
    """The numbers of the steps, those that run together, or as a chain, in one list."""
    groups: list[list[int]] = []
    written: set[int] = set()
    touched: set[int] = set()
    chained = {n: chain for chain in chains for n in chain.steps}
    for n, step in enumerate(steps):
        if n in chained:
            if n == chained[n].steps[0]:
                groups.append(list(chained[n].steps))
            written, touched = set(), {-1}
            continue
        emission = emissions.get(id(step))
        if emission is None or not isinstance(step, Kernel) or emission.parts > 1:
            groups.append([n])
            written, touched = set(), {-1}
            continue
        own = set(emission.parameters)
        writes = own & step.fills.keys()
        apart = written.isdisjoint(own) and touched.isdisjoint(writes)
        if groups and apart and -1 not in touched:
            groups[-1].append(n)
        else:
            groups.append([n])
            written, touched = set(), set()
        written |= writes
        touched |= own
    return [
        part for group in groups
        for part in ([group] if group[0] in chained else _worthwhile(group, steps, emissions))
    ]  # fmt: skip


def _worthwhile(group: list[int], steps: Sequence[Any], emissions: dict[int, Emission]) -> list[list[int]]:
    if len(group) == 1 or sum(emissions[id(steps[n])].work for n in group) < WORTH:
        return [[n] for n in group]
    return [group]


def parts_of(emission: Emission, total: float) -> int:
    """How many parts a kernel of a group is cut into; `total` is the group's work."""
    if emission.partials or emission.row_buffers:
        return 1
    return max(1, min(emission.rows, int(emission.work / max(PART, total / MOST))))


def function(name: str, kernels: Sequence[tuple[str, Emission, int]]) -> str:
    """The function that runs one part of a group: ``(name, emission, parts)`` of each kernel, whose pointers
    come one after the other behind the two numbers of `parallel.call`.
    """
    lines = [f"define internal void @{name}(ptr %context, i64 %part) nounwind #0 {{"]
    first, place = 0, 2
    for k, (kernel, emission, parts) in enumerate(kernels):
        lines += [
            f"  %m{k} = icmp slt i64 %part, {first + parts}",
            f"  br i1 %m{k}, label %run{k}, label %next{k}",
            f"run{k}:",
            f"  %i{k} = sub nsw i64 %part, {first}",
            f"  %a{k} = mul nuw nsw i64 %i{k}, {emission.rows}",
            f"  %lo{k} = udiv i64 %a{k}, {parts}",
            f"  %b{k} = add nuw nsw i64 %a{k}, {emission.rows}",
            f"  %hi{k} = udiv i64 %b{k}, {parts}",
        ]
        operands = []
        for n in range(place, place + len(emission.parameters)):
            lines += [f"  %q{n} = getelementptr ptr, ptr %context, i64 {n}", f"  %r{n} = load ptr, ptr %q{n}"]
            operands.append(f"ptr %r{n}")
        bounds = [f"i64 %lo{k}", f"i64 %hi{k}"]
        lines += [f"  call void @{kernel}({', '.join(operands + bounds)})", "  ret void", f"next{k}:"]
        first += parts
        place += len(emission.parameters)
    return "\n".join([*lines, "  ret void", "}"])
