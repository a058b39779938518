"""The generic checks: every op of the table, on every row of its samples."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from pullback.compiler.frontend.trace import trace
from pullback.core import engine, result_shapes
from pullback.core.backward_task import Capture
from pullback.core.batched import FALLBACKS, Batched
from pullback.core.calls import edge_of
from pullback.core.dual import Dual
from pullback.core.levels import fresh_level
from pullback.core.node import LEAF
from pullback.core.op import TABLE
from pullback.core.value import TensorBase, Value, array_of, dtype_of, run, shape_of, wrap

from .capabilities import (
    OPS,
    ROWS,
    batched,
    batching,
    carries,
    compiled,
    data_shaped,
    derivative,
    double,
    forward,
    is_array,
    no_rules,
    not_pushed,
    pushed,
    traced,
    undefined,
    vjp,
)
from .samples import Sample


def outputs(value: Any) -> tuple[Any, ...]:
    return value if isinstance(value, tuple) else (value,)


def bare(v: Any) -> Any:
    return np.asarray(array_of(v))


def call(sample: Sample, inputs: tuple[Any, ...]) -> tuple[Any, ...]:
    return outputs(run(TABLE[sample.op], inputs, sample.attrs))


def covectors(
    outs: tuple[np.ndarray, ...], seed: int = 0, only: tuple[int, ...] | None = None
) -> list[np.ndarray | None]:
    rng = np.random.default_rng(seed)
    found: list[np.ndarray | None] = []
    for k, o in enumerate(outs):
        if only is not None and k not in only:
            found.append(None)
        elif o.dtype.kind == "c":
            found.append(rng.normal(size=o.shape) + 1j * rng.normal(size=o.shape))
        else:
            found.append(rng.normal(size=o.shape) if o.dtype.kind == "f" else None)
    return found


def level_of(value: Any) -> int:
    return getattr(value, "_level", 0)


def leaf(value: Any, recorded: bool) -> Any:
    """A tensor that collects a gradient if asked to, around an array or around what another tensor holds."""
    if is_array(value):
        return wrap(value, LEAF if recorded else None)
    if isinstance(value, TensorBase) and recorded:
        return wrap(value._value, LEAF, value._level)
    return value


def pull(
    sample: Sample, inputs: tuple[Any, ...], vs: list[Any], create_graph: bool = False
) -> tuple[list[Any], list[Any]]:
    """Covectors of the floating inputs for given output covectors, and the leaves they belong to."""
    tensors = tuple(leaf(v, carries(given)) for v, given in zip(inputs, sample.inputs, strict=True))
    outs = call(sample, tensors)
    pairs = [(o, v) for o, v in zip(outs, vs, strict=True) if v is not None and o._node is not None]
    leaves = [t for t in tensors if isinstance(t, Value) and t._node is LEAF]
    if not pairs:
        return leaves, [None] * len(leaves)
    roots = [(edge_of(o), v if not create_graph or isinstance(v, Value) else wrap(v)) for o, v in pairs]
    nodes = [e.node if isinstance(e, tuple) else e for e, _ in roots]
    capture = Capture([edge_of(t) for t in leaves], nodes)
    engine.run_backward(
        roots, keep_graph=create_graph, create_graph=create_graph, capture=capture, accumulate=False
    )
    return leaves, capture.results


def inner(a: Any, b: Any) -> float:
    """Real inner product, under which torch's complex gradient is a gradient."""
    return float(np.sum(np.real(np.conj(a) * b)))


def shifted(sample: Sample, directions: list[np.ndarray], step: float) -> tuple[Any, ...]:
    it = iter(directions)
    return tuple(np.asarray(v + step * next(it)) if carries(v) else v for v in sample.inputs)


def directions_for(sample: Sample, seed: int) -> list[np.ndarray]:
    """A direction for each floating input: made an allowed one where the row says how."""
    places = [k for k, v in enumerate(sample.inputs) if carries(v)]
    found = []
    for k, t in zip(places, covectors(tuple(sample.inputs[k] for k in places), seed), strict=True):
        assert t is not None
        found.append(sample.varied[k](t) if k in sample.varied else t)
    return found


#: Which rows a check is for, and the check.
CHECKS: list[tuple[Callable[[Sample], bool], Callable[[Sample], None]]] = []


def check(wanted: Callable[[Sample], bool]) -> Callable[..., Any]:
    """Have a function called with every row that is wanted."""

    def register(function: Callable[[Sample], None]) -> Callable[[Sample], None]:
        CHECKS.append((wanted, function))
        return function

    return register


@pytest.mark.parametrize("name", sorted(OPS))
def test_op(name: str) -> None:
    """One test for an op, which tells all checks that fail: pytest took longer for each of 9,000 tests than
    most checks do.
    """
    samples = [row for row in ROWS if row.op == name]
    assert samples, f"add a row for {name} to tests/ops/samples"
    failed = []
    for wanted, function in CHECKS:
        for sample in filter(wanted, samples):
            try:
                function(sample)
            except (Exception, pytest.fail.Exception) as error:  # noqa: BLE001  # it is raised below
                error.add_note(f"{function.__name__} of {sample}")
                failed.append(error)
    if failed:
        raise BaseExceptionGroup(f"{len(failed)} checks of {name}", failed)


def test_rows_are_of_ops_and_checks_have_rows() -> None:
    assert {row.op for row in ROWS} <= set(OPS)
    for wanted, function in CHECKS:
        assert any(map(wanted, ROWS)), function.__name__


@check(forward)
def value_is_the_same_on_arrays_and_tensors(sample: Sample) -> None:
    direct = call(sample, sample.inputs)
    wrapped = call(sample, tuple(wrap(v) if is_array(v) else v for v in sample.inputs))
    for a, b in zip(direct, wrapped, strict=True):
        np.testing.assert_array_equal(np.asarray(a), bare(b))
    if sample.reference is not None:
        for a, b in zip(direct, outputs(sample.reference(*sample.inputs, *sample.attrs)), strict=True):
            np.testing.assert_allclose(np.asarray(a), b, rtol=1e-10, atol=1e-12)


@check(vjp)
def vjp_against_finite_differences(sample: Sample) -> None:
    outs = tuple(np.asarray(o) for o in call(sample, sample.inputs))
    vs = covectors(outs, only=sample.pulled)
    ts = directions_for(sample, 1)
    _, grads = pull(sample, sample.inputs, vs)
    analytic = sum(inner(g, t) for g, t in zip(grads, ts, strict=True) if g is not None)
    step = 1e-6
    plus = call(sample, shifted(sample, ts, step))
    minus = call(sample, shifted(sample, ts, -step))
    carried = TABLE[sample.op].differentiable_outputs if not TABLE[sample.op].many else range(len(outs))
    numeric = sum(
        inner(vs[k], (np.asarray(plus[k]) - np.asarray(minus[k])) / (2 * step))
        for k in carried
        if vs[k] is not None
    )
    assert analytic == pytest.approx(numeric, rel=2e-6, abs=2e-6)


@check(double)
def second_derivative_against_finite_differences(sample: Sample) -> None:
    outs = tuple(np.asarray(o) for o in call(sample, sample.inputs))
    vs = covectors(outs, only=sample.pulled)
    leaves, grads = pull(sample, sample.inputs, vs, create_graph=True)
    ws = directions_for(sample, 2)
    ts = directions_for(sample, 3)
    pairs = [
        (g, w)
        for g, w in zip(grads, ws, strict=True)
        if g is not None and isinstance(g, Value) and g._node is not None
    ]
    analytic = 0.0
    if pairs:
        roots = [(edge_of(g), w) for g, w in pairs]
        capture = Capture(
            [edge_of(x) for x in leaves], [e.node if isinstance(e, tuple) else e for e, _ in roots]
        )
        engine.run_backward(roots, keep_graph=False, create_graph=False, capture=capture, accumulate=False)
        analytic = sum(inner(h, t) for h, t in zip(capture.results, ts, strict=True) if h is not None)
    step = 1e-5

    def slope(sign: float) -> float:
        _, at = pull(sample, shifted(sample, ts, sign * step), vs)
        return sum(inner(w, g) for g, w in zip(at, ws, strict=True) if g is not None)

    assert analytic == pytest.approx((slope(1) - slope(-1)) / (2 * step), rel=2e-5, abs=2e-5)


@check(not_pushed)
def a_forward_derivative_that_torch_lacks_is_refused(sample: Sample) -> None:
    level = fresh_level()
    duals = tuple(Dual(v, np.ones_like(v), level) if carries(v) else v for v in sample.inputs)
    with pytest.raises(NotImplementedError, match="Trying to use forward AD with"):
        call(sample, duals)


@check(pushed)
def jvp_against_vjp(sample: Sample) -> None:
    outs = tuple(np.asarray(o) for o in call(sample, sample.inputs))
    vs = covectors(outs, only=sample.pulled)
    ts = directions_for(sample, 4)
    _, grads = pull(sample, sample.inputs, vs)
    level = fresh_level()
    it = iter(ts)
    duals = tuple(Dual(v, next(it), level) if carries(v) else v for v in sample.inputs)
    pushed = call(sample, duals)
    forward = sum(
        inner(v, np.broadcast_to(bare(o.tangent), shape_of(o)))
        for o, v in zip(pushed, vs, strict=True)
        if isinstance(o, Dual) and v is not None
    )
    for o in pushed:
        if isinstance(o, Dual):
            assert shape_of(o.tangent) == shape_of(o.primal) and dtype_of(o.tangent) == dtype_of(o.primal)
    reverse = sum(inner(g, t) for g, t in zip(grads, ts, strict=True) if g is not None)
    assert forward == pytest.approx(reverse, rel=1e-9, abs=1e-9)


@check(lambda sample: batched(sample) and sample.batched != "first")
def vmap_against_loop(sample: Sample) -> None:
    compare_with_loop(sample, [is_array(v) for v in sample.inputs])


@check(lambda sample: batched(sample) and sum(map(is_array, sample.inputs)) > 1)
def vmap_of_the_first_against_loop(sample: Sample) -> None:
    first = [is_array(v) for v in sample.inputs].index(True)
    compare_with_loop(sample, [i == first for i in range(len(sample.inputs))])


def compare_with_loop(sample: Sample, chosen: list[bool]) -> None:
    """Compare an op on a batch of some of its inputs with the op on each."""
    level = fresh_level()
    size = 3
    rng = np.random.default_rng(5)

    def copies(v: np.ndarray) -> np.ndarray:
        rows = [v] + [
            v * (1 + 0.01 * rng.uniform(size=v.shape)) if carries(v) else v for _ in range(size - 1)
        ]
        return np.stack(rows, axis=-1 if v.ndim == 0 else v.ndim // 2)

    stacked = [copies(v) if c else v for v, c in zip(sample.inputs, chosen, strict=True)]
    dims = [np.ndim(v) // 2 for v in sample.inputs]
    batched_inputs = tuple(
        Batched(s, d, level) if c else s for s, d, c in zip(stacked, dims, chosen, strict=True)
    )
    before = FALLBACKS[sample.op]
    together = call(sample, batched_inputs)
    how = batching(TABLE[sample.op])
    assert how == "rule, partly loop" or (FALLBACKS[sample.op] > before) == (how == "loop")
    for i in range(size):
        rows = tuple(np.take(s, i, axis=d) if c else s for s, d, c in zip(stacked, dims, chosen, strict=True))
        rows = tuple(np.asarray(r) if is_array(v) else r for r, v in zip(rows, sample.inputs, strict=True))
        for whole, one in zip(together, call(sample, rows), strict=True):
            got = np.take(bare(whole.value), i, axis=whole.dim) if isinstance(whole, Batched) else bare(whole)
            np.testing.assert_allclose(got, np.asarray(one), rtol=1e-9, atol=1e-12)


@check(lambda sample: sample.known_shape)
def shape_rule(sample: Sample) -> None:
    op = TABLE[sample.op]
    want = [(np.shape(o), np.asarray(o).dtype) for o in call(sample, sample.inputs)]
    assert list(op.result_shapes(sample.inputs, sample.attrs)) == want


def test_shapes_found_with_small_sizes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(result_shapes, "MANY", 0)
    for sample in ROWS:
        op = TABLE[sample.op]
        if op.sizes_kept and sample.known_shape:
            want = [(np.shape(o), np.asarray(o).dtype) for o in call(sample, sample.inputs)]
            assert list(result_shapes.result_kinds(op, sample.inputs, sample.attrs)) == want, sample


@check(data_shaped)
def a_shape_that_depends_on_the_data_is_refused(sample: Sample) -> None:
    with pytest.raises(RuntimeError, match="depends on the data"):
        TABLE[sample.op].result_shapes(sample.inputs, sample.attrs)
    level = fresh_level()
    batched_inputs = tuple(
        Batched(np.stack([v, v]), 0, level) if is_array(v) else v for v in sample.inputs
    )
    with pytest.raises(RuntimeError, match="vmap: .* (dynamic shape|differently shaped Tensor)"):
        call(sample, batched_inputs)


@check(no_rules)
def an_op_without_rules_records_nothing(sample: Sample) -> None:
    tensors = tuple(wrap(v, LEAF if carries(v) else None) if is_array(v) else v for v in sample.inputs)
    assert all(o._node is None for o in call(sample, tensors))


@check(undefined)
def a_missing_derivative_raises(sample: Sample) -> None:
    outs = tuple(np.asarray(o) for o in call(sample, sample.inputs))
    with pytest.raises(RuntimeError, match="not implemented"):
        pull(sample, sample.inputs, covectors(outs))
    level = fresh_level()
    duals = tuple(Dual(v, np.ones_like(v), level) if carries(v) else v for v in sample.inputs)
    with pytest.raises(RuntimeError, match="not implemented|does not support it"):
        call(sample, duals)


@check(lambda sample: derivative(TABLE[sample.op]) == "zero")
def the_gradient_of_a_draw_is_zero(sample: Sample) -> None:
    outs = tuple(np.asarray(o) for o in call(sample, sample.inputs))
    _, grads = pull(sample, sample.inputs, covectors(outs))
    assert not any(np.any(g) for g in grads if g is not None)


@check(compiled)
def replay_of_the_trace_against_eager(sample: Sample) -> None:
    tensors = tuple(wrap(v.copy()) if is_array(v) else v for v in sample.inputs)
    replayed = trace(lambda *inputs: call(sample, inputs), *tensors)()
    for got, want in zip(replayed, call(sample, sample.inputs), strict=True):
        np.testing.assert_array_equal(bare(got), np.asarray(want))


@check(traced)
def replay_of_the_traced_vjp_against_eager(sample: Sample) -> None:
    outs = tuple(np.asarray(o) for o in call(sample, sample.inputs))
    vs = covectors(outs, only=sample.pulled)

    def pulled(*inputs: Any) -> list[Any]:
        _, grads = pull(sample, inputs, vs)
        return [g if g is None or isinstance(g, TensorBase) else wrap(g, None, level_of(g)) for g in grads]

    tensors = tuple(wrap(v.copy()) if is_array(v) else v for v in sample.inputs)
    replayed = trace(pulled, *tensors)()
    for got, want in zip(replayed, pull(sample, sample.inputs, vs)[1], strict=True):
        if want is not None:
            np.testing.assert_allclose(bare(got), bare(want), rtol=1e-12, atol=1e-12)
