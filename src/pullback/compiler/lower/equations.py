"""Lower a program's equations to nodes, by the rule of each op or of its kind.

An op without one, or whose operands it does not take, is run by its array kernel: lowering never fails.
"""

import functools
from collections.abc import Callable, Sequence
from math import prod
from typing import Any

import numpy as np

from ...array import dtypes
from ...array.records import record
from ...core.body import acts, generators
from ...core.op import TABLE, Op
from ...core.promotion import HALVES
from ...core.recorder import Equation, Reference
from ...ops.random import DRAWS
from ...ops.refusing import REFUSING
from ..emit.scalars import TYPES, computing, is_float
from ..program import layouts
from ..program.program import Program
from . import (
    alignments,
    arrangements,
    attention,
    averages,
    batch_norm,
    borders,
    complex_parts,
    contractions,
    convolutions,
    distances,
    gathers,
    loops,
    losses,
    matrices,
    normalization,
    reductions,
    refusals,
    resampling,
    routines,
    sampling,
    scans,
    selection,
    sorting,
    strided,
    triangular,
    views,
    volumes,
    whole_numbers,
)
from .buffer import Buffer
from .context import BOOL, CHEAP, Context, broadcast
from .elementwise import Form, Unwritten, asking, form
from .filling import Call, Node
from .handlers import Analysis, Handler
from .lowered import Lowered
from .pairs import Pairs

#: How many elements must share an operand for it to be stored.
SHARED = 8
#: Equations on arrays of at most so many elements from which, where a quarter of them do not go element by
#: element, each is stored and has a kernel of its own. Long programs are made of few ops, so kernels are
#: compiled once for all of their kind, and small ones gain nothing by being fused: 2,500 ops without
#: repetition on matrices of 4×4 took LLVM 10 s, and a call 140 µs; apart they take 1 s and 100 µs.
MANY, SMALL = 400, 1024
#: The lowerings that ops have by name, each a function of the context, the operands and the attributes; what
#: it gives is one value, several, or None where the array kernel is to run. Other ops are lowered by
#: their kind: views, and what goes element by element.
RULES: dict[str, Callable[..., Any]] = {
    name: rule
    for family in (
        alignments, arrangements, averages, batch_norm, borders, contractions, convolutions, distances,
        gathers, losses, matrices, normalization, reductions, refusals, resampling, routines, sampling, scans,
        selection, sorting, strided, triangular, views, volumes, whole_numbers,
    )
    for name, rule in family.LOWERINGS.items()
} | {"scaled_dot_product_attention": attention.attention}  # fmt: skip
_SELECTING = {"where": 1, "masked_fill": 0, "masked_fill_tensor": 0}


@record(eq=False)
class Result:
    """A lowered program."""

    #: In an order in which each follows what it reads.
    nodes: list[Node]
    buffers: list[Buffer]
    inputs: list[Buffer]
    outputs: list[Buffer]
    #: By buffer number.
    constants: dict[int, np.ndarray]
    #: The last output is one more than the program has: whether an index is out of its range.
    checked: bool
    #: Whether each node on a small array has a kernel of its own.
    apart: bool


def lower(program: Program) -> Result:
    """Lower every equation of a program."""
    return _Lowering(program).run()


class _Lowering:
    def __init__(self, program: Program) -> None:
        self.program = program
        self.context = Context()
        self.values: dict[int, Lowered] = {}
        self.given = set(program.outputs)
        self.uses: dict[int, int] = dict.fromkeys(program.outputs, 2)
        for equation in program.equations:
            for operand in equation.operands:
                if type(operand) is Reference:
                    self.uses[operand[0]] = self.uses.get(operand[0], 0) + 1
        self.multiplied, self.copies = _multiplied(program)
        self.layouts = layouts.of_draws(program)
        self.apart = _is_mixed(program)
        #: Whether no value is complex, of a dtype that native code does not know, or empty: then no equation
        #: need be asked.
        self.plain = TYPES.keys() >= {*program.dtypes} and not any(0 in shape for shape in program.shapes)

    def run(self) -> Result:
        program, context = self.program, self.context
        inputs = []
        for index in program.inputs:
            buffer = context.buffer(program.shapes[index], program.dtypes[index], "input")
            inputs.append(buffer)
            self.values[index] = context.held(buffer)
        for index, array in program.constants.items():
            # The covectors that a backward pass starts from are one number everywhere.
            if array.dtype in TYPES and array.size and not any(
                step for step, extent in zip(array.strides, array.shape, strict=True) if extent > 1
            ):
                self.values[index] = self._number(array)
                continue
            self.values[index] = context.held(context.constant(array))
        for equation in program.equations:
            self._equation(equation)
        outputs = []
        for index in program.outputs:
            value = self.values[index]
            # An output is memory of its own: never an input's, and never that of another output.
            if value.buffer is None or value.buffer.role != "temporary" or value.buffer in outputs:
                value = self._copied(value)
            assert value.buffer is not None
            outputs.append(value.buffer)
        if (wrong := context.wrong()) is not None:
            outputs.append(wrong)
        nodes = _needed(context.nodes, outputs)
        return Result(
            nodes, context.buffers, inputs, outputs, context.constants, wrong is not None, self.apart
        )

    def _layout(self, draw: Equation) -> Any:
        """Return what a draw looks at: shape, dtype and the order in memory of its operand."""
        if not isinstance((operand := draw.operands[0]), Reference):
            return operand
        number, program = operand.index, self.program
        if (found := self.layouts.get(draw.outputs[0])) is None:
            found = np.broadcast_to(np.zeros((), program.dtypes[number]), program.shapes[number])
        return found

    def _copied(self, value: Lowered) -> Lowered:
        """Return the value in new memory."""
        if not self._hold([value], ()):
            return self.context.call("clone", [value], (), False, [(value.shape, value.dtype)])[0]
        return self.context.stored(Lowered(value.shape, value.dtype, value.body, cost=value.cost))

    def _hold(self, operands: Sequence[Any], results: complex_parts.Results) -> bool:
        """Return whether native code knows the dtypes of all values, and none is empty."""
        return self.plain or complex_parts.hold(operands, results)

    def _number(self, array: np.ndarray) -> Lowered:
        value, dtype = array[(0,) * array.ndim], array.dtype
        return Lowered(array.shape, dtype, lambda ops, indices: ops.constant(value, dtype), cost=0)

    def _equation(self, equation: Equation) -> None:
        program = self.program
        op = TABLE[equation.op]
        operands = [self.values[o[0]] if type(o) is Reference else o for o in equation.operands]
        results = [(program.shapes[o], program.dtypes[o]) for o in equation.outputs]
        if equation.op in loops.LOWERINGS and self._hold(operands, results):
            wanted = [o in self.uses for o in equation.outputs]
            lowering = loops.LOWERINGS[equation.op]
            lowered: Sequence[Lowered | None] | None = lowering(
                self.context, lower, operands, equation.attrs, wanted
            )
        else:
            lowered = self._lowered(op, operands, equation.attrs, results)
        if lowered is None:
            if op.name in DRAWS:
                operands[0] = self._layout(equation)
            lowered = list(self.context.call(op.name, operands, equation.attrs, equation.several, results))
        for index, value in zip(equation.outputs, lowered, strict=True):
            if value is None:
                continue
            # What is given back is stored where it arises, beside what it is computed from.
            cheap = 1 if index in self.given else CHEAP
            if index in self.multiplied:
                value = self.context.multiplied(value)
            elif (
                (value.cost > cheap and self.uses.get(index, 0) > 1) or self._is_apart(value)
                or self.context.gathers(value)
            ):  # fmt: skip
                value = self.context.stored(value)
            if index in self.copies and not all(self._is_strided(value, *way) for way in self.copies[index]):
                # Here all its axes are there, so that places take no divisions, and what else reads it finds
                # it in order: of queries', keys' and values' covector, 1,024×384, 808 to 90 µs.
                value = self.context.stored(value)
            self.values[index] = value

    def _is_strided(self, value: Lowered, way: Sequence[Equation], folds: bool) -> bool:
        """Return whether a product takes what some equations make of a value where it lies."""
        if value.buffer is not None or computing(value.dtype) not in contractions.DTYPES:
            return True
        for equation in way:
            shape = self.program.shapes[equation.outputs[0]]
            parts = views.viewed(TABLE[equation.op], value, equation.attrs) if _is_view(equation) else None
            value = parts[0] if parts else views.copied(value, shape)
        if folds:
            value = views.copied(value, (prod(value.shape[:-1]), value.shape[-1]))
        return len(value.shape) < 2 or self.context.is_strided(value)

    def _is_apart(self, value: Lowered) -> bool:
        """Return whether a value is computed, and is stored for that."""
        return self.apart and 1 < prod(value.shape) <= SMALL and self.context.count(value) > 0

    def _lowered(
        self, op: Op, operands: list[Any], attrs: tuple[object, ...], results: list[Any]
    ) -> list[Lowered] | None:
        if not self.plain and complex_parts.concern(operands, results):
            if op.kind != "elementwise" or op.base in views.LOWERINGS:
                return complex_parts.lowered(self.context, op, operands, attrs, results, RULES)
            if not complex_parts.hold(operands, results):
                return None
            found = self._elementwise(op, operands, attrs, *results[0])
            return None if found is None else [found]
        if (op.kind == "view" and op.base not in RULES) or op.name in views.SPLITS:
            # Parts of a value may be empty.
            return self._parts(op, operands, attrs) if self._hold(operands, ()) else None
        if op.name == "cat":
            operands = [o for o in operands if 0 not in o.shape]
        if not self._hold(operands, results):
            return None
        rule = RULES.get(op.base) or (op.each and functools.partial(losses.pairs, op))
        found = None if rule is None else self._by_rule(rule, op, operands, attrs, results)
        if found is None and op.kind == "elementwise":
            found = self._elementwise(op, operands, attrs, *results[0])
        return [found] if isinstance(found, Lowered) else found

    def _by_rule(
        self, rule: Callable[..., Any], op: Op, operands: list[Any], attrs: tuple[object, ...],
        results: list[Any],
    ) -> Any:  # fmt: skip
        context = self.context
        halves = op.halves and any(isinstance(o, Lowered) and o.dtype in HALVES for o in operands)
        if not halves or op.kind == "elementwise":
            context.results = results
            return rule(context, *operands, *attrs)
        # In float32 as a whole and rounded once, as in eager.
        context.results = [(shape, computing(dtype)) for shape, dtype in results]
        wide = [context.cast(o, computing(o.dtype)) if isinstance(o, Lowered) else o for o in operands]
        if (found := rule(context, *wide, *attrs)) is None:
            return None
        values = [found] if isinstance(found, Lowered) else found
        return [v and context.cast(v, dtype) for v, (_, dtype) in zip(values, results, strict=True)]

    def _parts(self, op: Op, operands: list[Any], attrs: tuple[object, ...]) -> list[Lowered] | None:
        if (parts := views.viewed(op, operands[0], attrs)) is None:
            return None
        context = self.context
        return [
            context.held(context.constant(np.empty(p.shape, p.dtype))) if 0 in p.shape else p for p in parts
        ]

    def _elementwise(
        self, op: Op, operands: list[Any], attrs: tuple[object, ...], shape: Any, dtype: Any
    ) -> Lowered | None:
        if None in operands:
            return None
        given = [o for o in operands if isinstance(o, Lowered)]
        alike = all(o.shape == shape for o in given)
        kinds = tuple([(o.dtype, not o.shape) if isinstance(o, Lowered) else (type(o), o) for o in operands])
        if op.rounded_attrs and dtype in HALVES:
            attrs = tuple([float(np.asarray(v, dtype)) for v in attrs])
        computed = _computed(op, op.form, kinds, attrs, dtype, dtypes.get_default_dtype())
        if computed is None:
            return None
        written, common, exact, count, as_is, paired = computed
        if not alike:
            # What many elements share is computed once.
            operands = [
                self.context.stored(o)
                if isinstance(o, Lowered) and o.cost > 1 and prod(o.shape) * SHARED <= prod(shape) else o
                for o in operands
            ]
            given = [o for o in operands if isinstance(o, Lowered)]
        bodies = [broadcast(o, shape) if isinstance(o, Lowered) else None for o in operands]

        def body(ops: Handler, indices: Any) -> Any:
            if as_is:
                values = [b(ops, indices) for b in bodies]  # type: ignore[misc]  # all are values
                return ops.cast(written(ops, *values, *attrs), dtype)
            own = Pairs(ops) if paired else ops
            scalars = [
                own.cast(own.cast(b(ops, indices), c) if b is not None else own.constant(o, c), e)
                for b, o, c, e in zip(bodies, operands, common, exact, strict=True)
            ]
            return own.cast(written(own, *scalars, *attrs), dtype)

        even: tuple[Buffer, ...] | None = None if paired else ()
        for o in given:
            count += self.context.count(o)
            if even is not None:
                even = None if o.even is None or not (alike or o.shape in (shape, ())) else even + o.even
        return self.context.map(shape, dtype, body, count, even)


@functools.lru_cache(4096)
def _computed(
    op: Op, _form: Form | None, kinds: tuple[tuple[Any, Any], ...], attrs: tuple[object, ...],
    dtype: np.dtype[Any], _default: object,
) -> tuple[Form, list[np.dtype[Any]], list[np.dtype[Any]], int, bool, bool] | None:
    """Return the form of an op, the dtypes in which its operands meet and those in which they are computed,
    how many operations an element takes, whether real operands are taken as they are, and whether something
    is complex; None for an op without a form, or that rounds an operand.

    What the op's own form and the default dtype are, on which the answer depends, are only part of the key.
    An operand is its dtype and whether it has no axes, or the type of a number and the number. The kinds of
    61,000 irregular equations are some dozens, and what is said here took half of the time to lower one.
    """
    conditions = _SELECTING.get(op.name)
    stand_ins = [np.empty((1,) * (not o), k) if isinstance(k, np.dtype) else o for k, o in kinds]
    if op.name == "where":
        common = [np.dtype(bool), dtype, dtype]
    elif conditions is not None:
        common = [dtype, np.dtype(bool), dtype][: len(kinds)]
    elif dtype.kind == "b" or op.promote is None or _is_complex(stand_ins):
        common = [dtypes.result_numpy_dtype(stand_ins)] * len(kinds)
    else:
        common = [dtype] * len(kinds)
    for operand, target in zip(stand_ins, common, strict=True):
        source = getattr(operand, "dtype", None)
        if source is not None and is_float(source) and not is_float(target) and target.kind not in "bc":
            return None
    # An op on halves is computed in float32 as a whole and rounded once, as in eager.
    exact = [computing(c) if op.halves else c for c in common]
    if op.exact_scalars and (not isinstance(kinds[1][0], np.dtype) or kinds[1][1]):
        common[1] = exact[1]
    analysis: Any = Analysis()
    ops = Pairs(analysis)
    terms = [
        ops.cast(ops.cast(ops.constant(0, k if isinstance(k, np.dtype) else c), c), e)
        for (k, _), c, e in zip(kinds, common, exact, strict=True)
    ]
    written = form(op)
    try:
        ops.cast(written(ops, *terms, *attrs), dtype)
    except Unwritten:
        return None
    as_is = dtype.kind != "c" and all(
        isinstance(k, np.dtype) and k == c == e and e.kind != "c"
        for (k, _), c, e in zip(kinds, common, exact, strict=True)
    )
    written = (as_is and not attrs and asking(op, exact)) or written
    paired = any(d.kind == "c" for d in (*common, dtype))
    return written, common, exact, analysis.count, as_is, paired


def _is_mixed(program: Program) -> bool:
    """Return whether a program is long, works on small arrays, and not element by element alone."""
    small = [e for e in program.equations if 1 < prod(program.shapes[e.outputs[0]]) <= SMALL]
    others = sum(TABLE[e.op].kind != "elementwise" for e in small)
    return len(small) >= MANY and 4 * others >= len(small)


def _is_view(equation: Equation) -> bool:
    return TABLE[equation.op].kind == "view"


def _multiplied(program: Program) -> tuple[set[int], dict[int, list[tuple[list[Equation], bool]]]]:
    """Return the values whose views are operands of matrix products, as a matrix times a vector may never
    store it; and of each copy in order the equations from it to such operands, whose leading axes are folded
    or not.
    """
    made = {
        e.outputs[0]: e
        for e in program.equations
        if (_is_view(e) or e.op in views.IN_ORDER) and isinstance(e.operands[0], Reference)
    }
    found: set[int] = set()
    copies: dict[int, list[tuple[list[Equation], bool]]] = {}
    for equation in program.equations:
        base = TABLE[equation.op].base
        own = base in contractions.LOWERINGS
        if equation.op == "mv" or not (own or TABLE[equation.op].kind == "bilinear"):
            continue
        for operand in equation.operands:
            if not isinstance(operand, Reference):
                continue
            index, way, only_views = operand.index, list[Equation](), True
            while index in made:
                before = made[index]
                if only_views and not _is_view(before):
                    found.add(index)
                    only_views = False
                if own and before.op in views.COPIES:
                    copies.setdefault(index, []).append((way[::-1], base in contractions.FOLDING))
                way.append(before)
                index = before.operands[0].index
            if only_views:
                found.add(index)
    return found, copies


def _needed(nodes: list[Node], outputs: list[Buffer]) -> list[Node]:
    """Return the nodes that the outputs depend on, and those that act, or may raise."""
    wanted = {b.number for b in outputs}
    kept = []
    for node in reversed(nodes):
        stays = isinstance(node, Call) and (acts(node.op, node.attrs) or _may_refuse(node))
        if stays or any(b.number in wanted for b in node.filled):
            wanted |= {b.number for b in node.reads}
            kept.append(node)
    kept.reverse()
    return _draws_first(kept)


def _may_refuse(node: Call) -> bool:
    name, kinds = REFUSING.get(node.op, ("", ""))
    if not name:
        return False
    operand = node.operands[TABLE[node.op].inputs.index(name)]
    return isinstance(operand, Buffer) and operand.dtype.kind in kinds


def _draws_first(nodes: list[Node]) -> list[Node]:
    """Return nodes with the random draws in front that need nothing: the rest is one native function then."""
    first: list[Node] = []
    others: list[Node] = []
    waiting = False
    for node in nodes:
        draws = isinstance(node, Call) and bool(generators(node.op, node.attrs))
        # They come from one stream, in order.
        if draws and not node.reads and not waiting:
            first.append(node)
        else:
            waiting = waiting or draws
            others.append(node)
    return first + others


def _is_complex(operands: Sequence[Any]) -> bool:
    return any(getattr(o, "dtype", BOOL).kind == "c" for o in operands)
