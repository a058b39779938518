"""Products that the steps of a loop need not wait for, as one product outside of it.

A product of few rows reads a matrix for little work, and each step of a recurrent network's pullback adds one
to the gradient of each weight. Taken together the steps have many rows:

* a sum ``W + Σ gₜᵀ·xₜ`` over the steps is one product of the stacked g and x, after the loop;
* products ``yₜ = xₜ·Wᵀ`` of what a loop is given by slices, with a matrix that it holds, are made before it;
* products that no step reads, of what the steps make with such a matrix, are made after it;
* matrices that steps multiply by transposed are transposed before it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from math import prod
from typing import TYPE_CHECKING

from ...core.body import Body
from ...core.recorder import Equation, Reference
from ..program.program import Program
from .simplification import algebra, common_subexpressions, dead_code, needed

if TYPE_CHECKING:
    from .loop_rolling import Roller

#: Rows of a step's product from which it does as well by itself.
MANY_ROWS = 128
#: Bytes of what is stacked for the sake of this.
STACKED = 1 << 26


def with_products_apart(
    equations: Sequence[Equation], roller: Roller, wanted: Iterable[int]
) -> list[Equation]:  # fmt: skip
    """Return equations whose loops have products of all their steps before and after them."""
    found: list[Equation] = []
    for equation in equations:
        if equation.op == "scan":
            found += _Fission(equation, roller).run()
        else:
            found.append(equation)
    return found


#: Products of rows by a matrix, the last two operands, and what is added to each row before them.
_PRODUCTS = frozenset({"linear", "mm", "addmm", "addmm_nt"})


def _simple(body: Body) -> Body:
    """Return a body in which nothing is computed that algebra finds to be known."""
    program = Program.of(body)
    for change in (algebra, common_subexpressions, dead_code):
        program = change(program)
    return Body.of(program)


class _Fission:
    """One loop whose products are looked at."""

    def __init__(self, scan: Equation, roller: Roller) -> None:
        self.scan, self.roller = scan, roller
        given, carries, slices, self.length, self.reverse = scan.attrs
        self.body = body = _simple(given)
        self.equations = list(body.equations)
        self.shapes, self.dtypes = list(body.shapes), list(body.dtypes)
        operands = [o.index for o in scan.operands]
        inputs, last = list(body.inputs), carries + slices
        #: Of the body: carried values with where they begin, what they become and what leaves the loop.
        self.carried = list(zip(inputs[:carries], operands[:carries], body.outputs, scan.outputs))
        #: Stacked values by the body's values that are their slices, and what is held.
        self.sliced = dict(zip(inputs[carries:last], operands[carries:last], strict=True))
        self.held = dict(zip(inputs[last:], operands[last:], strict=True))
        self.stacked = list(zip(body.outputs[carries:], scan.outputs[carries:], strict=True))
        self.before: list[Equation] = []
        self.after: list[Equation] = []

    def run(self) -> list[Equation]:
        """Return the loop, with what comes before and after it."""
        self._before()
        self._sums()
        self._after()
        self._turn()
        inputs = [c[0] for c in self.carried] + [*self.sliced, *self.held]
        outputs = [c[2] for c in self.carried] + [s[0] for s in self.stacked]
        body = Body(inputs, self.equations, outputs, self.body.constants, self.shapes, self.dtypes)
        operands = [c[1] for c in self.carried] + [*self.sliced.values(), *self.held.values()]
        results = [c[3] for c in self.carried] + [s[1] for s in self.stacked]
        attrs = (body, len(self.carried), len(self.sliced), self.length, self.reverse)
        loop = Equation("scan", tuple(map(Reference, operands)), attrs, tuple(results), True)
        return [*self.before, *([loop] if results else []), *self.after]

    # --- what may leave -------------------------------------------------------------------------------------

    def _sums(self) -> None:
        """Take sums of products over all steps out."""
        uses, makers = self._uses(), self._makers()
        for carry in list(self.carried):
            value, start, end, final = carry
            add = makers.get(end)
            if add is None or add.op != "add" or add.attrs or uses[value] != 1 or uses[end] != 1:
                continue
            terms = [o.index for o in add.operands if isinstance(o, Reference) and o.index != value]
            if len(terms) != 1 or len(add.operands) != 2 or uses[terms[0]] != 1:
                continue
            product = makers.get(terms[0])
            factors = None if product is None else self._weight_factors(product, makers)
            if product is None or factors is None or not self._may_stack(factors):
                continue
            self._drop(add)
            self.carried.remove(carry)
            stacks = [Reference(self._stack(n)) for n in factors]
            total = self.roller.made(*self.roller.kind(final))
            self.after += [
                Equation("linear_weight", tuple(stacks), (), (total,), False),
                Equation("add", (Reference(start), Reference(total)), (), (final,), False),
            ]
            uses, makers = self._uses(), self._makers()
        self._drop_unread()

    def _weight_factors(self, product: Equation, makers: dict[int, Equation]) -> tuple[int, int] | None:
        """Return (g, x) of ``gᵀ·x`` of few rows; None for other equations."""
        if product.op == "t":
            inner = makers.get(product.operands[0].index)
            found = None if inner is None or inner.op == "t" else self._weight_factors(inner, makers)
            return None if found is None else (found[1], found[0])
        if product.op not in ("linear_weight", "mm") or product.attrs:
            return None
        g, x = (o.index for o in product.operands)
        if product.op == "mm":
            if (turned := makers.get(g)) is None or turned.op != "t":
                return None
            g = turned.operands[0].index
        few = len(self.shapes[g]) == 2 and self.shapes[g][0] < MANY_ROWS
        changing = not any(n in self.held or n in self.body.constants for n in (g, x))
        return (g, x) if few and changing else None

    def _before(self) -> None:
        """Make products of slices with what is held before the loop."""
        for equation in list(self.equations):
            if not self._is_product(equation):
                continue
            x = equation.operands[-2].index
            y = equation.outputs[0]
            if x not in self.sliced or not self._may_stack((y,)):
                continue
            whole = self.roller.made((self.length, *self.shapes[y]), self.dtypes[y])
            self.before += self._product(equation, self.sliced[x], whole)
            self._drop(equation)
            self.sliced[y] = whole

    def _after(self) -> None:
        """Make products that no step reads after the loop."""
        uses, makers = self._uses(), self._makers()
        for entry in list(self.stacked):
            value, whole = entry
            equation = makers.get(value)
            if equation is None or uses[value] != 1 or not self._is_product(equation):
                continue
            x = equation.operands[-2].index
            if not self._may_stack((x,)):
                continue
            self._drop(equation)
            self.stacked.remove(entry)
            self.after += self._product(equation, self._stack(x), whole)

    def _turn(self) -> None:
        """Let products read the rows of what they hold: transposed once, not in each step."""
        turned: dict[int, int] = {}
        for n, equation in enumerate(self.equations):
            if equation.op != "linear" or not self._is_product(equation):
                continue
            x, w = equation.operands
            if w.index not in turned:
                shape, dtype = self.shapes[w.index][::-1], self.dtypes[w.index]
                turned[w.index] = len(self.shapes)
                self.shapes.append(shape)
                self.dtypes.append(dtype)
                outside = self.roller.made(shape, dtype)
                self.before.append(Equation("t", (Reference(self.held[w.index]),), (), (outside,), False))
                self.held[turned[w.index]] = outside
            operands = x, Reference(turned[w.index])
            self.equations[n] = equation._replace(op="mm", operands=operands)
        uses = self._uses()
        for value in turned:
            if not uses[value]:
                del self.held[value]

    def _is_product(self, equation: Equation) -> bool:
        """Return whether an equation multiplies few rows by what is held, and may add what is held."""
        if equation.op not in _PRODUCTS:
            return False
        *others, x, w = equation.operands
        if not all(isinstance(o, Reference) and o.index in self.held for o in (*others, w)):
            return False
        rows = self.shapes[x.index]
        return len(rows) == 2 and rows[0] < MANY_ROWS and all(len(self.shapes[o.index]) == 1 for o in others)

    def _product(self, equation: Equation, x: int, whole: int) -> list[Equation]:
        """Return the equations of a product of all steps' rows."""
        *others, _, w = equation.operands
        shape, dtype = self.roller.kind(x)
        rows = self.roller.made((prod(shape[:-1]), shape[-1]), dtype)
        shape, dtype = self.roller.kind(whole)
        found = self.roller.made((prod(shape[:-1]), shape[-1]), dtype)
        held = [Reference(self.held[o.index]) for o in others]
        operands = (*held, Reference(rows), Reference(self.held[w.index]))
        return [
            Equation("view", (Reference(x),), (self.roller.kind(rows)[0],), (rows,), False),
            equation._replace(operands=operands, outputs=(found,)),
            Equation("view", (Reference(found),), (shape,), (whole,), False),
        ]

    def _may_stack(self, values: Sequence[int]) -> bool:
        """Return whether the values of all steps take little memory."""
        sizes = (prod(self.shapes[n]) * self.dtypes[n].itemsize for n in values)
        return sum(sizes) * self.length <= STACKED

    # --- the body -------------------------------------------------------------------------------------------

    def _uses(self) -> Counter[int]:
        found = Counter(o.index for e in self.equations for o in e.operands if isinstance(o, Reference))
        found.update(c[2] for c in self.carried)
        found.update(s[0] for s in self.stacked)
        return found

    def _makers(self) -> dict[int, Equation]:
        return {n: e for e in self.equations for n in e.outputs}

    def _drop(self, *equations: Equation) -> None:
        self.equations = [e for e in self.equations if not any(e is other for other in equations)]

    def _drop_unread(self) -> None:
        outputs = [c[2] for c in self.carried] + [s[0] for s in self.stacked]
        self.equations = needed(self.equations, outputs, self.dtypes)

    def _stack(self, value: int) -> int:
        """Return the values of all steps, stacked."""
        if value in self.sliced:
            return self.sliced[value]
        for inner, whole in self.stacked:
            if inner == value:
                return whole
        whole = self.roller.made((self.length, *self.shapes[value]), self.dtypes[value])
        self.stacked.append((value, whole))
        return whole
