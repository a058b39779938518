"""Define loops and branches with derivatives: the ops of `ops.loops` as Functions.

Each Function takes the loop's bodies and then its tensors. Its pullback, pushforward and batched form call
the same Function with other bodies, so that derivatives of any order nest.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..array.named_tuples import NamedTuple
from ..autograd.function import Function
from ..core.batched import Batched
from ..core.body import Body, generators
from ..core.dual import Dual
from ..core.modes import modes
from ..core.op import of
from ..core.value import TensorBase, run, shape_of, wrap
from ..ops import loops
from ..ops.arithmetic import add
from ..ops.comparison import where
from ..ops.reduce import any_dims
from ..ops.structure import expand, reshape
from ..tensor.batching import move
from .bodies import Kind, Pullback, is_differentiable, mapped, pulled, pushed, rewritten
from .transforms import replaced, vjp

if TYPE_CHECKING:
    from ..autograd.function_levels import VmapInfo

    Dims = tuple[int | None, ...]


def _is_recorded(value: object) -> bool:
    """Return whether gradients of a value are asked for at some level."""
    while True:
        if isinstance(value, TensorBase):
            if value._node is not None:
                return True
            value = value._value
        elif isinstance(value, Dual):
            if _is_recorded(value.tangent):
                return True
            value = value.primal
        elif isinstance(value, Batched):
            value = value.value
        else:
            return False


def _zeros(kind: Kind) -> TensorBase:
    # One number everywhere: a program needs no memory for it.
    zeros: TensorBase = wrap(np.broadcast_to(np.zeros((), kind[1]), kind[0]))
    return zeros


def _moved(tensors: Sequence[TensorBase], dims: Sequence[int | None], to: int) -> list[TensorBase]:
    """Return tensors with their batch axis at one place; those without one as they are."""
    return [t if d is None else move(t, d, to) for t, d in zip(tensors, dims, strict=True)]


def _batched(tensor: TensorBase, dim: int | None, size: int) -> TensorBase:
    """Return a tensor with its batch axis first, which it gets where it has none."""
    if dim is not None:
        return move(tensor, dim, 0)
    return expand(reshape(tensor, (1, *shape_of(tensor))), (size, *shape_of(tensor)))


# --- scan ---------------------------------------------------------------------------------------------------


class Scan(NamedTuple):
    """A scan but for its tensors: see `ops.loops.scan`."""

    body: Body
    carries: int
    slices: int
    length: int
    reverse: bool
    pullback: Pullback | None = None


def _check_repeats(op: str, bodies: Sequence[object]) -> None:
    """Refuse bodies that are to run again for a derivative and would draw other numbers then."""
    if generators(op, bodies):
        raise RuntimeError(f"{op} draws random numbers where it would have to run again for a derivative")


class ScanFunction(Function):
    """The scan with derivatives."""

    @staticmethod
    def forward(spec: Scan, *tensors: TensorBase) -> Any:
        """Run the op."""
        return run(of(loops.scan), tensors, tuple(spec[:5]))

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: tuple[TensorBase, ...]) -> None:
        """Save what the pullbacks of the steps read."""
        spec = ctx.spec = inputs[0]
        ctx.save_for_forward(*inputs[1:])
        ctx.set_materialize_grads(False)
        if spec.pullback is not None:
            ctx.save_for_backward(*inputs[1:], *output[len(output) - spec.pullback.kept :])

    @staticmethod
    def backward(ctx: Any, *grads: TensorBase | None) -> tuple[TensorBase | None, ...]:
        """Pull back by a scan in the other direction."""
        spec, saved = ctx.spec, ctx.saved_tensors
        count = len(spec.body.inputs)
        tensors, kept = saved[:count], saved[count:]
        if any(g is not None for g in grads[len(grads) - spec.pullback.kept :]):
            # What was kept for a first derivative has covectors of its own in a second: the steps are taken
            # again, and what the pullback of those values needs is kept, too.
            _check_repeats("scan", spec)
            pullback = pulled(spec.body, spec.pullback.wanted, spec.carries)
            spec = spec._replace(body=pullback.forward, pullback=pullback)
            outputs = ScanFunction.apply(spec, *tensors)
            kept = outputs[len(outputs) - pullback.kept :]
        return (None, *_pulled_scan(spec, grads, tensors, kept))

    @staticmethod
    def jvp(ctx: Any, _: object, *tangents: TensorBase | None) -> tuple[TensorBase | None, ...]:
        """Push forward by a scan of the carry together with its tangent."""
        return _pushed_scan(ctx.spec, ctx.saved_tensors, tangents)

    @staticmethod
    def vmap(
        info: VmapInfo, in_dims: Dims, spec: Scan, *tensors: TensorBase
    ) -> tuple[tuple[TensorBase, ...], Dims]:
        """Run a scan of whole batches."""
        dims, size = in_dims[1:], info.batch_size
        carries, last = spec.carries, spec.carries + spec.slices
        carry = [_batched(t, d, size) for t, d in zip(tensors[:carries], dims[:carries], strict=True)]
        xs = _moved(tensors[carries:last], dims[carries:last], 1)
        held = _moved(tensors[last:], dims[last:], 0)
        inner = [*[0] * carries, *(None if d is None else 0 for d in dims[carries:])]
        body = mapped(spec.body, inner, size)
        outputs = scanned(spec._replace(body=body, pullback=None), [*carry, *xs, *held])
        return outputs, tuple(0 if n < carries else 1 for n in range(len(outputs)))


def scanned(spec: Scan, tensors: Sequence[TensorBase]) -> tuple[TensorBase, ...]:
    """Return the outputs of a scan, recorded where gradients are asked for."""
    recorded = [_is_recorded(t) for t in tensors] if modes().grad else []
    if not any(recorded):
        return tuple(ScanFunction.apply(spec, *tensors))
    kinds = spec.body.kinds(spec.body.inputs)
    pullback = pulled(
        spec.body,
        [n for n, k in enumerate(kinds) if is_differentiable(k) and (n < spec.carries or recorded[n])],
        spec.carries,
    )
    outputs = ScanFunction.apply(spec._replace(body=pullback.forward, pullback=pullback), *tensors)
    return tuple(outputs[: len(spec.body.outputs)])


def _pulled_scan(
    spec: Scan, grads: Sequence[TensorBase | None], tensors: Sequence[TensorBase], kept: Sequence[TensorBase]
) -> list[TensorBase | None]:
    """Return covectors of a scan's tensors: the carry's goes back step by step, held ones' are summed."""
    pullback = spec.pullback
    assert pullback is not None
    carries, last = spec.carries, spec.carries + spec.slices
    kinds = spec.body.kinds(spec.body.inputs)
    outputs = spec.body.kinds(spec.body.outputs)
    moving = [n for n in pullback.covectors if n < carries]
    stacked = [n for n in pullback.covectors if n >= carries]
    sliced = [n for n in pullback.wanted if carries <= n < last]
    held = [n for n in pullback.wanted if n >= last]
    read_slices = [n for n in pullback.inputs if n < last]
    read_held = [n for n in pullback.inputs if n >= last]

    def part(n: int) -> TensorBase:
        if (g := grads[n]) is not None:
            return g
        shape, dtype = outputs[n]
        return _zeros((shape if n < carries else (spec.length, *shape), dtype))

    carry = [*(part(n) for n in moving), *(_zeros(kinds[n]) for n in held)]
    xs = [*(part(n) for n in stacked), *kept, *(tensors[n] for n in read_slices)]
    fixed = [tensors[n] for n in read_held]
    kept_kinds = outputs[len(outputs) - pullback.kept :]

    def step(*values: TensorBase) -> list[TensorBase]:
        source = iter(values)
        own = [next(source) for _ in moving]
        sums = [next(source) for _ in held]
        # The order of the pullback's inputs: covectors, what was kept, inputs.
        found = dict(zip(pullback.wanted, pullback.body.replay(*own, *source), strict=True))
        gathered = [add(total, found[n]) for total, n in zip(sums, held, strict=True)]
        return [*(found[n] for n in moving), *gathered, *(found[n] for n in sliced)]

    body = rewritten(
        step,
        [*(kinds[n] for n in moving), *(kinds[n] for n in held), *(outputs[n] for n in stacked),
         *kept_kinds, *(kinds[n] for n in (*read_slices, *read_held))],
    )  # fmt: skip
    back = Scan(body, len(carry), len(xs), spec.length, not spec.reverse)
    results = scanned(back, [*carry, *xs, *fixed])
    return replaced([None] * len(kinds), (*moving, *held, *sliced), results)


def _pushed_scan(
    spec: Scan, tensors: Sequence[TensorBase], tangents: Sequence[TensorBase | None]
) -> tuple[TensorBase | None, ...]:
    """Return tangents of a scan's outputs."""
    carries, last = spec.carries, spec.carries + spec.slices
    kinds = spec.body.kinds(spec.body.inputs)
    outputs = spec.body.kinds(spec.body.outputs)
    moving = [n for n in range(carries) if is_differentiable(kinds[n])]
    sliced = [n for n in range(carries, last) if tangents[n] is not None]
    held = [n for n in range(last, len(kinds)) if tangents[n] is not None]
    wanted = [*moving, *sliced, *held]
    carried = [n for n, kind in enumerate(outputs) if is_differentiable(kind)]
    inner = pushed(spec.body, [n in wanted for n in range(len(kinds))])

    def step(*values: TensorBase) -> list[TensorBase]:
        source = iter(values)
        own = [next(source) for _ in range(carries)]
        moved = {n: next(source) for n in moving}
        own += [next(source) for _ in range(carries, last)]
        moved |= {n: next(source) for n in sliced}
        own += [next(source) for _ in range(last, len(kinds))]
        moved |= {n: next(source) for n in held}
        found = inner.replay(*own, *(moved[n] for n in wanted))
        values_, derivatives = found[: len(outputs)], dict(zip(carried, found[len(outputs) :], strict=True))
        return [
            *values_[:carries], *(derivatives[n] for n in moving), *values_[carries:],
            *(derivatives[n] for n in carried if n >= carries),
        ]  # fmt: skip

    def primals(some: Iterable[int]) -> list[TensorBase]:
        return [tensors[n] for n in some]

    def directions(some: Sequence[int]) -> list[TensorBase]:
        return [_zeros(kinds[n]) if (t := tangents[n]) is None else t for n in some]

    every = range(carries), range(carries, last), range(last, len(kinds))
    order = [*every[0], *moving, *every[1], *sliced, *every[2], *held]
    given = [
        *primals(every[0]), *directions(moving), *primals(every[1]), *directions(sliced),
        *primals(every[2]), *directions(held),
    ]  # fmt: skip
    body = rewritten(step, [kinds[n] for n in order])
    count = carries + len(moving)
    results = scanned(Scan(body, count, spec.slices + len(sliced), spec.length, spec.reverse), given)
    last_ys = len(results) - sum(1 for n in carried if n >= carries)
    pushed_to = [*results[carries:count], *results[last_ys:]]
    found = dict(zip(carried, pushed_to, strict=True))
    return tuple(found.get(n) for n in range(len(outputs)))


# --- while_loop ---------------------------------------------------------------------------------------------


class While(NamedTuple):
    """A while loop but for its tensors: see `ops.loops.while_loop`."""

    condition: Body
    body: Body
    carries: int


class WhileFunction(Function):
    """The while loop with forward derivatives."""

    @staticmethod
    def forward(spec: While, *tensors: TensorBase) -> Any:
        """Run the op."""
        return run(of(loops.while_loop), tensors, tuple(spec))

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: tuple[TensorBase, ...]) -> None:
        """Keep what a tangent needs."""
        ctx.spec = inputs[0]
        ctx.save_for_forward(*inputs[1:])

    @staticmethod
    def backward(ctx: Any, *grads: TensorBase | None) -> tuple[TensorBase | None, ...]:
        """Refuse: how many steps are to be kept is not known."""
        error = RuntimeError("while_loop has no reverse-mode derivative: its number of steps is not known")
        error.add_note("scan, or fori_loop with bounds that are Python numbers, can be pulled back.")
        raise error

    @staticmethod
    def jvp(ctx: Any, _: object, *tangents: TensorBase | None) -> tuple[TensorBase | None, ...]:
        """Push forward by a loop of the carry together with its tangent."""
        spec, tensors = ctx.spec, ctx.saved_tensors
        carries = spec.carries
        kinds = spec.body.kinds(spec.body.inputs)
        moving = [n for n in range(carries) if is_differentiable(kinds[n])]
        held = [n for n in range(carries, len(kinds)) if tangents[n] is not None]
        inner = pushed(spec.body, [n in moving or n in held for n in range(len(kinds))])
        count = carries + len(moving)

        def split(values: Sequence[TensorBase]) -> tuple[list[TensorBase], list[TensorBase]]:
            inputs = [*values[:carries], *values[count : count + len(kinds) - carries]]
            return inputs, [*values[carries:count], *values[count + len(kinds) - carries :]]

        def step(*values: TensorBase) -> list[TensorBase]:
            inputs, moved = split(values)
            return list(inner.replay(*inputs, *moved))

        order = [*range(carries), *moving, *range(carries, len(kinds)), *held]
        given = [
            *tensors[:carries], *(_zeros(kinds[n]) if tangents[n] is None else tangents[n] for n in moving),
            *tensors[carries:], *(tangents[n] for n in held),
        ]  # fmt: skip
        every = [kinds[n] for n in order]
        condition = rewritten(lambda *values: spec.condition.replay(*split(values)[0]), every)
        found = WhileFunction.apply(While(condition, rewritten(step, every), count), *given)
        derivatives = dict(zip(moving, found[carries:], strict=True))
        return tuple(derivatives.get(n) for n in range(carries))

    @staticmethod
    def vmap(
        info: VmapInfo, in_dims: Dims, spec: While, *tensors: TensorBase
    ) -> tuple[tuple[TensorBase, ...], Dims]:
        """Run until no row goes on; a row that has ended stays as it is."""
        dims, size, carries = in_dims[1:], info.batch_size, spec.carries
        inner = [*[0] * carries, *(None if d is None else 0 for d in dims[carries:])]
        given = [
            *(_batched(t, d, size) for t, d in zip(tensors[:carries], dims[:carries], strict=True)),
            *_moved(tensors[carries:], dims[carries:], 0),
        ]
        goes_on, after = mapped(spec.condition, inner, size), mapped(spec.body, inner, size)
        kinds = after.kinds(after.inputs)

        def step(*values: TensorBase) -> list[TensorBase]:
            (flags,) = goes_on.replay(*values)
            return [
                where(reshape(flags, (size, *(1,) * (len(shape_of(old)) - 1))), new, old)
                for old, new in zip(values, after.replay(*values))
            ]

        condition = rewritten(lambda *values: [any_dims(goes_on.replay(*values)[0], (0,), False)], kinds)
        found = WhileFunction.apply(While(condition, rewritten(step, kinds), carries), *given)
        return found, (0,) * carries


# --- cond ---------------------------------------------------------------------------------------------------


class Branches(NamedTuple):
    """A branch but for its tensors: see `ops.loops.cond`."""

    true: Body
    false: Body


class CondFunction(Function):
    """The branch with derivatives; the first tensor is the predicate."""

    @staticmethod
    def forward(spec: Branches, *tensors: TensorBase) -> Any:
        """Run the op."""
        return run(of(loops.cond), tensors, tuple(spec))

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: tuple[TensorBase, ...]) -> None:
        """Save the inputs: the branch that ran is run again to be pulled back."""
        ctx.spec = inputs[0]
        ctx.save_for_forward(*inputs[1:])
        ctx.save_for_backward(*inputs[1:])
        ctx.set_materialize_grads(False)

    @staticmethod
    def backward(ctx: Any, *grads: TensorBase | None) -> tuple[TensorBase | None, ...]:
        """Pull back through the branch that ran."""
        spec, (pred, *tensors) = ctx.spec, ctx.saved_tensors
        _check_repeats("cond", spec)
        kinds, outputs = spec.true.kinds(spec.true.inputs), spec.true.kinds(spec.true.outputs)
        needs = ctx.needs_input_grad[2:]
        wanted = [n for n, kind in enumerate(kinds) if is_differentiable(kind) and needs[n]]
        carried = [n for n, kind in enumerate(outputs) if is_differentiable(kind)]
        covectors = [_zeros(outputs[n]) if grads[n] is None else grads[n] for n in carried]
        bodies = [_pulled_again(body, wanted, carried, kinds, outputs) for body in spec]
        found = CondFunction.apply(Branches(*bodies), pred, *covectors, *tensors)
        return (None, None, *replaced([None] * len(kinds), wanted, found))

    @staticmethod
    def jvp(ctx: Any, _: object, *tangents: TensorBase | None) -> tuple[TensorBase | None, ...]:
        """Push forward through the branch that ran."""
        spec, (pred, *tensors) = ctx.spec, ctx.saved_tensors
        _check_repeats("cond", spec)
        tangents = tangents[1:]
        moved = [t is not None for t in tangents]
        outputs = spec.true.kinds(spec.true.outputs)
        bodies = [pushed(body, moved) for body in spec]
        directions = [t for t in tangents if t is not None]
        found = CondFunction.apply(Branches(*bodies), pred, *tensors, *directions)[len(outputs) :]
        carried = [n for n, kind in enumerate(outputs) if is_differentiable(kind)]
        derivatives = dict(zip(carried, found, strict=True))
        return tuple(derivatives.get(n) for n in range(len(outputs)))

    @staticmethod
    def vmap(
        info: VmapInfo, in_dims: Dims, spec: Branches, pred: TensorBase, *tensors: TensorBase
    ) -> tuple[tuple[TensorBase, ...], Dims]:
        """Run the branch for the batch; where rows take different ones, both, and choose."""
        dims, size = in_dims[2:], info.batch_size
        inner = [None if d is None else 0 for d in dims]
        given = _moved(tensors, dims, 0)
        if all(d is None for d in inner):
            given, inner = [_batched(t, None, size) for t in given], [0] * len(given)
        true, false = (mapped(body, inner, size) if inner else body for body in spec)
        if in_dims[1] is None:
            return CondFunction.apply(Branches(true, false), pred, *given), (0,) * len(true.outputs)
        flags = move(pred, in_dims[1], 0)
        if not inner:
            outputs = [[_batched(v, None, size) for v in body.replay()] for body in (true, false)]
        else:
            outputs = [list(body.replay(*given)) for body in (true, false)]
        chosen = [
            where(reshape(flags, (size, *(1,) * (len(shape_of(x)) - 1))), x, y)
            for x, y in zip(*outputs, strict=True)
        ]
        return tuple(chosen), (0,) * len(chosen)


def _pulled_again(
    body: Body, wanted: Sequence[int], carried: Sequence[int], kinds: Sequence[Kind], outputs: Sequence[Kind]
) -> Body:
    """Return the body that runs a branch and pulls covectors back: of (covectors, inputs)."""

    def function(*values: TensorBase) -> Any:
        covectors, inputs = values[: len(carried)], values[len(carried) :]

        def moving(*some: TensorBase) -> tuple[TensorBase, ...]:
            found = body.replay(*replaced(inputs, wanted, some))
            return tuple(found[n] for n in carried)

        _, pull = vjp(moving, *(inputs[n] for n in wanted))
        return pull(covectors)

    return rewritten(function, [*(outputs[n] for n in carried), *kinds])
