"""Define loops and branches by name: `scan`, `fori_loop`, `while_loop`, `cond`.

Run eagerly they are Python's own loops over ordinary tensors, so that gradients of any order, `vmap` and
forward mode are those of the steps. While a function is compiled each becomes one equation, whatever its
number of steps: its body is written down once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, cast

import numpy as np

from ..array import dtypes
from ..core.op import General, of
from ..core.tracer import is_tracing, running
from ..core.value import TensorBase, dtype_of, shape_of, wrap
from ..ops import loops
from ..ops.comparison import ne
from ..ops.structure import reshape, stack, unbind
from ..tensor.tree import TreeSpec, tree_flatten, tree_unflatten
from .bodies import as_values, roots, write_down
from .loop_functions import Branches, CondFunction, Scan, While, WhileFunction, scanned
from .transforms import replaced


def _described(values: Sequence[object]) -> str:
    names = [f"{dtypes.from_numpy_dtype(dtype_of(v))}{list(shape_of(v))}" for v in values]
    return f"({', '.join(names)})"


def _carried(name: str, result: object, before: Sequence[object], spec: TreeSpec) -> list[Any]:
    """Return the carry that a step gives, in the structure, shapes and dtypes in which it took it."""
    leaves, new = tree_flatten(result)
    after = as_values(leaves, f"{name}: the carry")
    if new != spec:
        raise TypeError(f"{name}: the carry is {spec} before a step and {new} after it")
    if _kinds(before) != _kinds(after):
        error = TypeError(
            f"{name}: the carry is {_described(before)} before a step and {_described(after)} after it"
        )
        error.add_note("Cast or reshape what the step returns, or give the first carry the later dtypes.")
        raise error
    return after


def _kinds(values: Sequence[object]) -> list[Any]:
    return [(tuple(shape_of(v)), dtype_of(v)) for v in values]


def scan(
    f: Callable[[Any, Any], tuple[Any, Any]], init: object, xs: object = None, length: int | None = None,
    reverse: bool = False,
) -> tuple[Any, Any]:  # fmt: skip
    """Loop over the first axis of some tensors with a carry, and stack what the steps give.

    With ``c_0 = init``, for t = 0, 1, …, length − 1::

        c_{t+1}, y_t = f(c_t, x_t)

    Parameters
    ----------
    f : callable
        ``f(carry, x)`` returns the next carry, in the same structure, shapes and dtypes, and a `y`; both may
        be (nested containers of) tensors, and `y` None.
    init : tensor or container of tensors
        The first carry; Python numbers become tensors.
    xs : tensor or container of tensors of shape (length, ...), optional
        A step gets ``xs[t]`` of each; None where there are none.
    length : int, optional
        Number of steps; needed where there are no `xs`.
    reverse : bool
        Take the steps from the last to the first; `ys` stay in the order of `xs`.

    Returns
    -------
    (carry, ys)
        The last carry, and each `y` stacked along a new first axis.

    Raises
    ------
    TypeError
        The carry changes its structure, a shape or a dtype.
    ValueError
        The lengths of `xs` differ, or from `length`; or neither is given.

    Notes
    -----
    Compiled, the loop is one equation, and its gradient a scan in the other direction: with covectors ``g``
    of the carry and ``h_t`` of ``y_t``, ``g_t, k_t = (g_{t+1}, h_t) · ∂f(c_t, x_t)``, for which the ``c_t``
    are kept. As in ``jax.lax.scan``.
    """
    leaves, x_spec = tree_flatten(xs)
    leaves = [] if xs is None else leaves
    lengths: set[Any] = {shape_of(x)[0] if shape_of(x) else None for x in leaves}
    if length is not None:
        lengths.add(length)
    if len(lengths) != 1 or None in lengths:
        raise ValueError(
            f"scan: the lengths of xs, and length, are to be one number, and are {sorted(map(str, lengths))}"
        )
    (steps,) = lengths
    carry, spec = tree_flatten(init)
    carry = as_values(carry, "scan: the carry")

    def pick(values: Sequence[object]) -> Any:
        return None if xs is None else tree_unflatten(list(values), x_spec)

    if is_tracing() or steps == 0:
        return _written_scan(f, carry, spec, leaves, pick, steps, reverse)
    return _stepwise_scan(f, carry, spec, leaves, pick, steps, reverse)


def _stepwise_scan(
    f: Callable[..., Any], carry: Sequence[object], spec: TreeSpec, leaves: list[Any],
    pick: Callable[..., Any], steps: int, reverse: bool,
) -> tuple[Any, Any]:  # fmt: skip
    rows = [unbind(x, 0) for x in leaves]
    columns: list[list[Any]] = []
    y_spec: Any = None
    for t in reversed(range(steps)) if reverse else range(steps):
        after, y = _pair(f(tree_unflatten(list(carry), spec), pick([r[t] for r in rows])))
        carry = _carried("scan", after, carry, spec)
        ys, y_spec = ([], None) if y is None else tree_flatten(y)
        columns.append(as_values(ys, "scan: what a step gives"))
    if reverse:
        columns.reverse()
    stacked = [stack(list(parts), 0) for parts in zip(*columns, strict=True)]
    return tree_unflatten(list(carry), spec), None if y_spec is None else tree_unflatten(stacked, y_spec)


def _pair(result: object) -> tuple[Any, Any]:
    if not (isinstance(result, tuple) and len(result) == 2):
        raise TypeError(f"scan: f returns a pair (carry, y), not {type(result).__name__}")
    return result


def _written_scan(
    f: Callable[..., Any], carry: list[Any], spec: TreeSpec, leaves: list[Any], pick: Callable[..., Any],
    steps: int, reverse: bool,
) -> tuple[Any, Any]:  # fmt: skip
    count = len(carry)
    specs: list[Any] = []

    def step(*values: object) -> Any:
        after, y = _pair(f(tree_unflatten(list(values[:count]), spec), pick(values[count:])))
        found = _carried("scan", after, values[:count], spec)
        ys, y_spec = ([], None) if y is None else tree_flatten(y)
        specs.append(y_spec)
        return [*found, *ys]

    kinds = [*_kinds(carry), *((shape[1:], dtype) for shape, dtype in _kinds(leaves))]
    (written,) = write_down([step], kinds, "scan: what a step gives")
    outputs = scanned(
        Scan(written.body, count, len(leaves), steps, reverse), [*carry, *leaves, *written.held]
    )
    (y_spec,) = specs
    ys = None if y_spec is None else tree_unflatten(list(outputs[count:]), y_spec)
    return tree_unflatten(list(outputs[:count]), spec), ys


def fori_loop(lower: Any, upper: Any, body_fun: Callable[[Any, Any], Any], init_val: Any) -> Any:
    """Loop over whole numbers with a carry: ``for i in range(lower, upper): val = body_fun(i, val)``.

    Parameters
    ----------
    lower, upper : int or tensor of int
        Where a bound is a tensor, the compiled loop is a `while_loop` and has no reverse-mode derivative.
    body_fun : callable
        ``body_fun(i, val)``, of a tensor of int64 without axes and the carry, returns the next carry in the
        same structure, shapes and dtypes.
    init_val : tensor or container of tensors

    Returns
    -------
    The last carry. As in ``jax.lax.fori_loop``.

    Raises
    ------
    TypeError
        The carry changes its structure, a shape or a dtype.
    """
    if not is_tracing() or not any(isinstance(v, TensorBase) for v in (lower, upper)):
        numbers = np.arange(int(lower), int(upper), dtype=np.int64)
        return scan(lambda carry, i: (body_fun(i, carry), None), init_val, wrap(numbers))[0]

    def step(state: Any) -> Any:
        i, val = state
        return i + 1, body_fun(i, val)

    (first, last) = as_values((lower, upper), "fori_loop: a bound")
    return while_loop(lambda state: state[0] < last, step, (first, init_val))[1]


def while_loop(cond_fun: Callable[[Any], Any], body_fun: Callable[[Any], Any], init_val: object) -> Any:
    """Loop as long as a condition holds: ``while cond_fun(val): val = body_fun(val)``.

    Parameters
    ----------
    cond_fun : callable
        Takes the carry and returns a tensor of one bool.
    body_fun : callable
        Takes the carry and returns the next, in the same structure, shapes and dtypes.
    init_val : tensor or container of tensors

    Returns
    -------
    The last carry. As in ``jax.lax.while_loop``.

    Raises
    ------
    TypeError
        The carry changes its structure, a shape or a dtype.
    RuntimeError
        A compiled loop is pulled back: how many steps would have to be kept is not known. Eagerly, and in
        forward mode, it is differentiable.
    """
    carry, spec = tree_flatten(init_val)
    carry = as_values(carry, "while_loop: the carry")
    if is_tracing():
        return _written_while(cond_fun, body_fun, carry, spec)
    while cond_fun(tree_unflatten(list(carry), spec)):
        carry = _carried("while_loop", body_fun(tree_unflatten(list(carry), spec)), carry, spec)
    return tree_unflatten(list(carry), spec)


def _written_while(
    cond_fun: Callable[..., Any], body_fun: Callable[..., Any], carry: list[Any], spec: TreeSpec
) -> Any:
    def goes_on(*values: object) -> Any:
        return (cond_fun(tree_unflatten(list(values), spec)),)

    def step(*values: object) -> Any:
        return _carried("while_loop", body_fun(tree_unflatten(list(values), spec)), values, spec)

    condition, body = write_down([goes_on, step], _kinds(carry), "while_loop: the carry")
    (shape, dtype), *_ = condition.body.kinds(condition.body.outputs)
    if shape.count(1) != len(shape) or dtype.kind != "b":
        raise TypeError(f"while_loop: the condition is one bool, not {dtype}{list(shape)}")
    outputs = WhileFunction.apply(While(condition.body, body.body, len(carry)), *carry, *body.held)
    return tree_unflatten(list(outputs), spec)


def cond(pred: object, true_fun: Callable[..., Any], false_fun: Callable[..., Any], *operands: object) -> Any:
    """Call one of two functions: ``true_fun(*operands) if pred else false_fun(*operands)``.

    Parameters
    ----------
    pred : bool or tensor of one element
    true_fun, false_fun : callable
        Return (nested containers of) tensors of the same structure, shapes and dtypes.
    *operands
        Tensors or containers of tensors.

    Returns
    -------
    What the function returns. Compiled, both functions are written down, and one is run. As in
    ``jax.lax.cond``.

    Raises
    ------
    TypeError
        The functions return different structures, shapes or dtypes (when compiled).
    """
    if (recorder := running()) is None or not isinstance(pred, TensorBase):
        return true_fun(*operands) if pred else false_fun(*operands)
    leaves, spec = tree_flatten(operands)
    places = [n for n, v in enumerate(leaves) if isinstance(v, TensorBase)]

    def called(function: Callable[..., Any]) -> Callable[..., Any]:
        def branch(*values: object) -> Any:
            return function(*tree_unflatten(replaced(leaves, places, values), spec))

        return branch

    tensors = [leaves[n] for n in places]
    true, false = write_down([called(true_fun), called(false_fun)], _kinds(tensors), "cond: a branch")
    kinds = [w.body.kinds(w.body.outputs) for w in (true, false)]
    if true.spec != false.spec or kinds[0] != kinds[1]:
        raise TypeError(
            f"cond: the branches give different things: {true.spec} of {kinds[0]} and {false.spec} of "
            f"{kinds[1]}"
        )
    flag = pred if dtype_of(pred).kind == "b" else ne(pred, 0)
    flag = reshape(flag, ())
    outputs = CondFunction.apply(Branches(true.body, false.body), flag, *tensors, *true.held)
    # In eager code what a branch returns may be an operand, or a view of one.
    given = [*tensors, *true.held]
    for body in (true.body, false.body):
        for out, place in zip(outputs, roots(body), strict=True):
            if place is not None and isinstance(given[place], TensorBase):
                recorder.pick(out, given[place])
    return tree_unflatten(list(outputs), true.spec)


def _differentiably(name: str, call: Callable[..., Any]) -> None:
    """Let bodies that hold loops, when they are replayed, call them with their derivatives."""

    def on_tensors(tensors: Sequence[object], *spec: object) -> Any:
        return call([v if isinstance(v, TensorBase) else wrap(v) for v in tensors], spec)

    op = of(getattr(loops, name))
    on_tensors.op = op  # type: ignore[attr-defined]  # functions take attributes
    op.call = cast(General, on_tensors)


_differentiably("scan", lambda tensors, spec: scanned(Scan(*spec), tensors))
_differentiably("while_loop", lambda tensors, spec: WhileFunction.apply(While(*spec), *tensors))
_differentiably("cond", lambda tensors, spec: CondFunction.apply(Branches(*spec), *tensors))
