"""Cut the pullback of a call's results at the results, for when a look at one of them asks for its own.

All results of a call have one node, which pulls every covector back at once. What arrives at a result from
others that are computed of it is inside that program; a hook on the result, or `inputs=`, asks for it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from ...array.named_tuples import NamedTuple
from ..passes.missing_covectors import without
from ..passes.pipeline import optimized
from ..passes.simplification import renumbered
from ..program.program import Program
from .executable import Executable

if TYPE_CHECKING:
    from numpy import ndarray


class Part(NamedTuple):
    """Hold the pullback of one result alone, as far as the results that it is computed of."""

    #: The results that it gives covectors.
    earlier: list[int]
    #: The edges of the call's node that it gives covectors, after these.
    leaves: list[int]
    #: Which of what `pull` gives these are.
    positions: tuple[int, ...]
    pull: Callable[[Sequence[Any], Sequence[Any]], Sequence[Any]]


class Apart:
    """The results of a call, one by one.

    `program` is the pullback of all, as it was traced. For each result `totals` has the value that is all of
    what arrives there, its own covector where none is computed of it; `arrives` the outputs of the program
    that its covector reaches; `overlaps` those results whose backward frees what its own reads, None where
    all share something, and `beside` the same of what lies before other results. `pulled` has for each edge
    of the call's node which output of the program it gets. `order` has the results, none before one that it
    is computed of, `bare` those whose own operation saves nothing that is freed.
    """

    def __init__(
        self, program: Program, totals: Sequence[int], pulled: Sequence[int | None],
        arrives: Sequence[set[int]], order: Sequence[int], overlaps: Sequence[set[int]] | None,
        beside: Sequence[set[int]], bare: set[int],
    ) -> None:  # fmt: skip
        self._program, self._totals, self._pulled, self._arrives = program, totals, pulled, arrives
        self.order, self.overlaps, self.beside, self.bare = order, overlaps, beside, bare
        self._parts: list[Part] | None = None

    def parts(self) -> list[Part]:
        """Return the pullback of each result alone."""
        if self._parts is None:
            self._parts = self._cut()
        return self._parts

    def _cut(self) -> list[Part]:
        program, totals = self._program, self._totals
        covectors = program.inputs[len(program.inputs) - len(totals) :]
        made = {o for e in program.equations for o in e.outputs}
        cuts = [k for k, total in enumerate(totals) if total != covectors[k]]
        if len(set(totals)) < len(totals) or any(totals[k] not in made for k in cuts):
            raise RuntimeError(
                "compile: what arrives at one of the results of a compiled function is not known; a hook on "
                "it, retain_grad() or inputs= needs the function to be called without compile"
            )
        shapes, dtypes = list(program.shapes), list(program.dtypes)
        own = {}
        for k in cuts:
            own[totals[k]] = len(shapes)
            shapes.append(shapes[totals[k]])
            dtypes.append(dtypes[totals[k]])
        equations = [e._replace(operands=renumbered(e.operands, own)) for e in program.equations]
        whole = Program(
            [*program.inputs, *own.values()], equations,
            [*own, *(own.get(o, o) for o in program.outputs)], program.constants, shapes, dtypes,
        )  # fmt: skip
        linear = [*covectors, *own.values()]
        return [self._part(whole, linear, cuts, k, own.get(total, total)) for k, total in enumerate(totals)]

    def _part(self, whole: Program, linear: list[int], cuts: list[int], k: int, covector: int) -> Part:
        program, places = without(whole, linear, [v for v in linear if v != covector])
        earlier = [(j, place) for j, place in zip(cuts, places, strict=False) if place is not None]
        leaves = []
        for edge, output in enumerate(self._pulled):
            place = None if output is None else places[len(cuts) + output]
            if place is not None and output in self._arrives[k]:
                leaves.append((edge, place))
        positions = tuple(place for _, place in (*earlier, *leaves))
        pull = partial(_run, program, [])
        return Part([j for j, _ in earlier], [edge for edge, _ in leaves], positions, pull)


def _run(
    program: Program, made: list[Executable], saved: Sequence[ndarray], covectors: Sequence[ndarray]
) -> Sequence[ndarray]:
    """Run a program, which is compiled the first time."""
    if not made:
        made.append(Executable(optimized(program)))
    return made[0].run(*saved, *(v if v.flags.c_contiguous else np.ascontiguousarray(v) for v in covectors))
