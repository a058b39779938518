"""A pullback for covectors of which some do not arrive: what they alone would reach is left out.

A pullback is linear in its covectors, so what is computed of absent ones alone is zero. It must not be
computed: zero times an infinite slope is not a number, and an input that gets no covector in eager gets none.
"""

from collections.abc import Collection

import numpy as np

from ...core.recorder import Reference
from ..program.program import Program


def without(
    program: Program, covectors: Collection[int], absent: Collection[int]
) -> tuple[Program, list[int | None]]:
    """Return a pullback without what comes of absent covectors, which takes the inputs that are left, and for
    each of its outputs the place of its value among the new program's, or None.

    It is linear in the inputs that are covectors, some of which are left out.
    """
    varying, gone = set(covectors), set(absent)
    constants = dict(program.constants)
    equations = []
    for equation in program.equations:
        of_covectors = {o.index for o in equation.operands if isinstance(o, Reference)} & varying
        varying.update(equation.outputs if of_covectors else ())
        if of_covectors and of_covectors <= gone:
            gone.update(equation.outputs)
            continue
        for number in of_covectors & gone:
            zero = np.zeros((), program.dtypes[number])
            constants[number] = np.broadcast_to(zero, program.shapes[number])
        equations.append(equation)
    kept = [output for output in program.outputs if output not in gone]
    places = iter(range(len(kept)))
    inputs = [v for v in program.inputs if v not in absent]
    return (
        Program(inputs, equations, kept, constants, program.shapes, program.dtypes),
        [None if output in gone else next(places) for output in program.outputs],
    )
