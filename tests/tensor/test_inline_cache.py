"""Calls by a plan of an inline cache (`tensor.inline_cache`) are what they are in Python."""

from __future__ import annotations

import gc
import subprocess
import sys
import warnings
import weakref
from pathlib import Path

import pytest

import pullback as torch

pytest.importorskip("llvmlite")
inline_cache = sys.modules["pullback.tensor.inline_cache.cache"]


@pytest.fixture(autouse=True, scope="module")
def _counting_anew():
    """Let all functions count from the beginning, those too that were called while nothing was native."""
    gc.unfreeze()  # what `conftest` hides from the collector
    for cache in gc.get_objects():
        if isinstance(cache, inline_cache.InlineCache) and cache._table is None:
            cache._left = cache._calls
            cache._use(cache.count)
    gc.freeze()


@pytest.fixture(autouse=True)
def _native(price, monkeypatch):
    if not inline_cache.large.is_there():
        pytest.skip("native code is switched off")
    price(0)
    # The browser of the tests of a page waits in a thread, beside which no call that draws has a plan.
    for module in (inline_cache, inline_cache.draws):
        monkeypatch.setattr(module, "has_foreign_threads", lambda: False)
    for cache in inline_cache._tables:  # what other tests have called may have all the plans that it gets
        cache.forget()
        cache._numbers.clear()  # behind the first few, new ones wait longer
        cache._calls = cache._pause = cache._table[1] = inline_cache._CALLS


def plans():
    return sum(inline_cache._PLANS - cache._plans for cache in inline_cache._tables)


def learn(function, *args):
    """Call a function until its like is known, or was looked at in vain; say which."""
    before = plans()
    for _ in range(3 * inline_cache._CALLS):
        function(*args)
        if plans() > before:
            return True
    return False


def test_calls_of_a_trace_do_not_count(monkeypatch):
    def turned(x):
        for _ in range(2 * inline_cache._CALLS):
            x = torch.rot90(x)
        return x

    monkeypatch.setattr(inline_cache, "native", lambda _: pytest.fail("native code was asked for"))
    assert torch.compile(turned)(torch.eye(2)).tolist() == [[1, 0], [0, 1]]


def test_a_view_shares_memory_version_and_base():
    x = torch.rand(3, 5)
    assert learn(torch.transpose, x, 0, 1)
    y = torch.transpose(x, 0, 1)
    assert y.shape == (5, 3) and y.stride() == (1, 5) and y._base is x and y._is_view()
    y.add_(1)
    assert x._version == 1 and torch.equal(y, x.T)


def test_a_view_of_a_result_has_a_base():
    x = torch.rand(1, 2, 6)
    assert learn(torch.nn.functional.avg_pool1d, x, 2)
    assert torch.nn.functional.avg_pool1d(x, 2).shape == (1, 2, 3)


def test_what_only_moves_elements_is_moved():
    x = torch.arange(6.0).reshape(2, 3).clone()
    assert learn(torch.roll, x, 1, 1)
    y = torch.roll(x + 1, 1, 1)
    assert y.tolist() == [[3, 1, 2], [6, 4, 5]] and y._base is None and y._version == 0
    y.add_(1)
    assert learn(torch.cat, [x, y], 1) and torch.cat([y, x], 1).tolist()[0] == [4, 2, 3, 0, 1, 2]
    assert learn(torch.triu, x) and torch.triu(x + 1).tolist() == [[1, 2, 3], [0, 5, 6]]


IN_A_NEW_PROCESS = """
from pullback.array import tiering
from tests.tensor.test_inline_cache import check_versions

for name in ("OPEN", "KERNEL", "COMPILER", "LOOP"):
    setattr(tiering, name, 0)
check_versions(has_history={})
"""


@pytest.mark.parametrize("has_history", [False, True])
def test_results_that_count_as_written_have_their_version(has_history):
    """Some tests of `compiler/test_large.py` call `pad` without native code, which leaves it no plans."""
    code, root = IN_A_NEW_PROCESS.format(has_history), Path(__file__).parents[2]
    command = [sys.executable, "-c", code]
    found = subprocess.run(command, capture_output=True, text=True, check=False, cwd=root)
    assert not found.returncode, found.stderr


def check_versions(has_history):
    """Check that torch squeezes a vector's product in place, and writes the parts of a circular border."""
    x = torch.rand(4, requires_grad=has_history)
    y = torch.rand(4, 3)
    assert learn(torch.matmul, x, y)
    product = torch.matmul(x, y)
    assert product._version == 1 and (not has_history or product.sum().backward() is None)
    x = torch.rand(1, 1, 4, requires_grad=has_history)
    assert learn(torch.nn.functional.pad, x, (1, 2), "circular")
    wide = torch.nn.functional.pad(x, (1, 2), "circular")
    assert wide._version == 3 and wide.view(-1)._version == 3
    wide.add_(1)
    assert wide._version == 4 and torch.nn.functional.pad(x, (1, 2), "circular")._version == 3


def test_parts_are_a_tuple_of_views():
    x = torch.arange(12.0).reshape(6, 2).clone()
    assert learn(torch.split, x, 4)
    first, second = torch.split(x, 4)
    assert type(torch.split(x, 4)) is tuple and first._base is x and second.tolist() == [[8, 9], [10, 11]]


@pytest.mark.parametrize("has_history", [False, True])
def test_parts_that_are_no_views_share_memory_and_count_for_themselves(has_history):
    x = torch.arange(12.0).reshape(6, 2).clone().requires_grad_(has_history)
    assert learn(torch.unsafe_split, x, 4)
    while learn(torch.unsafe_split, x, 4):  # what it calls may have had the first plan
        pass
    first, second = torch.unsafe_split(x, 4)
    assert first.data_ptr() == x.data_ptr() and second._base is None and not second._is_view()
    with torch.no_grad():
        x.add_(1)
    assert second.tolist() == [[9, 10], [11, 12]] and (x._version, second._version) == (1, 0)
    assert calls_in(torch.unsafe_split, x, 4) < 8  # no kernel runs, which makes 18 of slices
    if has_history:
        (2 * second).sum().backward()
        assert x.grad.tolist() == [[0, 0]] * 4 + [[2, 2]] * 2


def test_a_result_without_elements_lies_as_ever():
    x = torch.rand(3, 2)
    strides = torch.tile(x, (1, 0)).stride()
    assert learn(torch.tile, x, (1, 0))
    for _ in range(3):
        assert torch.tile(x, (1, 0)).stride() == strides and torch.tile(x, (1, 0)).shape == (3, 0)


def test_views_made_unrecorded_are_refused_as_ever():
    x = torch.rand(3, 4)
    assert learn(torch.unsqueeze, x, 0)
    with torch.no_grad():
        y = torch.unsqueeze(x, 0)
    x.requires_grad_()
    with pytest.raises(RuntimeError, match="view was created in no_grad mode"):
        y.add_(torch.ones((), requires_grad=True))


def test_kinds_of_numbers_are_told_apart():
    x = torch.tensor([[1.0, -2.0], [3.0, 4.0]])
    assert learn(torch.cumsum, x, 1)
    assert torch.cumsum(x, 0).tolist() == [[1, -2], [4, 2]]
    with pytest.raises(TypeError):
        torch.cumsum(x, 1.0)


def test_shapes_strides_and_dtypes_are_told_apart():
    x = torch.arange(6.0).reshape(2, 3).clone()
    assert learn(torch.flip, x, (0,))
    assert torch.flip(x, (0,)).tolist() == [[3, 4, 5], [0, 1, 2]]
    assert torch.flip(x.T, (0,)).tolist() == [[2, 5], [1, 4], [0, 3]]
    assert torch.flip(x.int(), (0,)).dtype == torch.int32


def test_a_file_is_read_in_every_call(tmp_path):
    path = tmp_path / "numbers"
    path.write_bytes(bytes(8))
    assert not learn(lambda: torch.from_file(str(path), size=2)) and learn(torch.arange, 3.0)
    path.write_bytes(b"\x00\x00\x80\x3f" * 2)
    assert torch.from_file(str(path), size=2).tolist() == [1, 1]
    torch.from_file(str(path), True, 2).add_(1)
    assert torch.from_file(str(path), size=2).tolist() == [2, 2] and torch.arange(3.0).tolist() == [0, 1, 2]


def test_inference_mode_writes_once_in_each_call():
    x, y, mean, variance = torch.zeros(3), torch.rand(4, 3), torch.zeros(3), torch.ones(3)
    calls = 5 * inline_cache._CALLS
    with torch.inference_mode():
        for _ in range(calls):
            x.sub_(-1)
            torch.nn.functional.batch_norm(y, mean, variance, training=True, momentum=1 / calls)
    assert x.tolist() == [calls] * 3
    assert torch.allclose(mean, y.mean(0) * (1 - (1 - 1 / calls) ** calls), rtol=1e-4)


def test_inference_mode_detaches_to_normal_tensors():
    x = torch.rand(3)
    with torch.inference_mode():
        for _ in range(3 * inline_cache._CALLS):
            torch.detach(x), x.exp()
        assert not torch.detach(x).is_inference() and x.exp().is_inference()


def test_history_is_recorded():
    x = torch.rand(2, 3)
    assert learn(torch.amax, x, 1)
    y = torch.amax(x.requires_grad_(), 1)
    y.sum().backward()
    assert y.grad_fn is not None and x.grad.sum() == 2


def leaf(*shape):
    return torch.rand(*shape, requires_grad=True)


def hidden(*shape):
    return leaf(*shape) * 1.0


@pytest.mark.parametrize(
    ("function", "inputs"),
    [
        (torch.mm, lambda: (hidden(3, 4), leaf(4, 2))),
        (torch.nn.functional.linear, lambda: (hidden(3, 4), leaf(2, 4), leaf(2))),
        (torch.transpose, lambda: (hidden(3, 4), 0, 1)),
        (torch.sum, lambda: (leaf(3, 4), 1)),
        (torch.mean, lambda: (hidden(3, 4),)),
        (torch.Tensor.__getitem__, lambda: (hidden(3, 4), (None, slice(1, 3)))),
        (torch.Tensor.__getitem__, lambda: (leaf(3, 4), torch.tensor([2, 0, 2]))),
        (torch.split, lambda: (hidden(6, 4), 4)),
        (torch.max, lambda: (hidden(3, 4), 1)),
        (torch.cat, lambda: ([hidden(3, 4), leaf(2, 4)],)),
        (torch.nn.functional.cross_entropy, lambda: (hidden(3, 4), torch.tensor([0, 3, 1]))),
        (torch.nn.functional.layer_norm, lambda: (hidden(3, 4), (4,), leaf(4), leaf(4), 1e-5)),
        (torch.nn.functional.scaled_dot_product_attention, lambda: (hidden(2, 3, 4),) * 3),
        (torch.where, lambda: (torch.rand(3, 4) > 0.5, hidden(3, 4), 0.0)),
    ],
)
def test_nodes_are_those_of_the_call(function, inputs):
    """Graphs are equal node for node, as are the derivatives of the second order."""
    given = inputs()
    expected = function(*given)
    assert learn(function, *given)
    results = [value if isinstance(value, tuple) else (value,) for value in (expected, function(*given))]
    for first, second in zip(*results, strict=True):
        assert torch.equal(first, second) and first.stride() == second.stride()
        assert graph(first) == graph(second)
    leaves = [v for a in given for v in (a if type(a) is list else [a]) if getattr(v, "requires_grad", False)]
    once, again = ([v for v in found if v.requires_grad] for found in results)
    for first, second in zip(once, again, strict=True):
        pulled = [
            torch.autograd.grad(y.sin().sum(), leaves, create_graph=True, allow_unused=True)
            for y in (first, second)
        ]
        for g, h in zip(*pulled, strict=True):
            assert (g is None and h is None) or torch.equal(g, h)
        twice = [
            torch.autograd.grad(sum(g.square().sum() for g in found if g is not None), leaves, None, True,
                                allow_unused=True)
            for found in pulled
        ]  # fmt: skip
        for g, h in zip(*twice, strict=True):
            assert (g is None and h is None) or torch.equal(g, h)


def graph(tensor):
    """Names of nodes and the places of their inputs, down to the leaves."""
    def told(node, seen):
        if node is None or node in seen:
            return seen.get(node)
        seen[node] = len(seen)
        return node.name(), [(told(n, seen), k) for n, k in node.next_functions]

    return told(tensor.grad_fn, {})


def test_a_write_names_the_line_that_saved_the_value():
    x = hidden(3, 4)
    assert learn(torch.softmax, x, 1)

    def saving():
        return torch.softmax(x, 1)

    y = saving()
    assert y.grad_fn._code is saving.__code__
    y.add_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.sum().backward()


@pytest.mark.parametrize("which", [0, 1])
def test_a_write_to_each_of_several_index_tensors_is_noticed(which):
    x = torch.ones(2, 3, requires_grad=True)
    places = (torch.tensor([0, 1]), torch.tensor([2, 1]))
    assert learn(torch.Tensor.__getitem__, x, places)
    places[1].add_(0)
    y = x[places].sum()
    torch.autograd.grad(y, x, retain_graph=True)
    places[which].add_(0)
    found = rf"LongTensor \[2\]\] is at version {which + 1}; expected version {which}"
    with pytest.raises(RuntimeError, match=found):
        y.backward()


def test_a_view_of_a_view_has_the_base_of_that():
    x = torch.rand(3, 5)
    assert learn(torch.transpose, x, 0, 1)
    base = torch.rand(15)
    part = base.view(3, 5)
    y = torch.transpose(part, 0, 1)
    assert y._base is base
    y.zero_()
    assert base.sum() == 0 and base._version == part._version == 1
    base.requires_grad_()
    with torch.no_grad():
        base.add_(1)
    torch.transpose(base.view(3, 5), 0, 1).sum().backward()
    assert base.grad.sum() == 15


@pytest.mark.parametrize("parts", [lambda x: x.chunk(3, 1), lambda x: x.unbind(0)])
def test_views_of_a_part_of_several_stay_parts_of_several(parts):
    x = torch.rand(2, 6, 4, requires_grad=True)
    part = parts(x * 1)[1]
    assert learn(torch.transpose, part, 0, 1)
    whole = x * 1
    part = parts(whole)[1]
    view = part.transpose(0, 1)
    assert view.stride() == (part.stride(1), part.stride(0), *part.stride()[2:]) and view._base is whole
    with pytest.raises(RuntimeError, match="function that returns multiple views"):
        view.mul_(2)
    (view * view).sum().backward()
    assert torch.equal(parts(x.grad)[1], 2 * part) and x.grad.count_nonzero() <= part.numel()


def test_a_stale_view_gets_the_history_of_its_base():
    x = hidden(4)
    view = x[1:]
    assert learn(torch.exp, x) or learn(torch.flip, view, (0,))
    x.mul_(3)
    y = torch.flip(view, (0,))
    assert torch.autograd.grad(y.sum(), view)[0].sum() == 3
    assert torch.allclose(torch.autograd.grad(torch.flip(view, (0,)).sum(), x)[0].sum(), torch.tensor(3.0))


def test_modes_of_gradients_are_asked():
    x, weight = hidden(3, 4), torch.nn.Parameter(torch.rand(2, 4))
    linear = torch.nn.functional.linear
    assert learn(linear, x, weight)
    with torch.no_grad():
        assert linear(x, weight).grad_fn is None
    with torch.inference_mode():
        assert linear(x, weight).is_inference()
    packed = []
    with torch.autograd.graph.saved_tensors_hooks(lambda v: packed.append(v) or v, lambda v: v):
        linear(x, weight).sum().backward()
    assert len(packed) == 2 and weight.grad.shape == (2, 4)
    assert torch.vmap(lambda row: linear(row, weight))(x).shape == (3, 2)
    assert not linear(x.detach(), weight.detach()).requires_grad


def test_inference_tensors_are_known_and_given():
    x, weight = torch.rand(3, 4), torch.nn.Parameter(torch.rand(4, 2))
    with torch.inference_mode():
        y = x + 1
        assert learn(torch.matmul, y, weight) and learn(torch.diagonal, x) and torch.exp(y).is_inference()
        product, seen, own = torch.matmul(x, weight), torch.diagonal(x), torch.diagonal(y)
    assert product.is_inference() and not product._is_view() and torch.equal(product, x @ weight)
    assert own.is_inference() and own._base is None and own.data_ptr() == y.data_ptr()
    assert seen._base is x and not seen.is_inference()
    assert not torch.diagonal(x).is_inference() and not torch.matmul(y, weight.detach()).is_inference()
    with pytest.raises(RuntimeError, match="Inference tensors cannot be saved for backward"):
        torch.matmul(y, weight)
    with torch.inference_mode():
        seen.add_(1)
    assert x._version == 1
    x.requires_grad_()
    with pytest.raises(RuntimeError, match="inference_mode"):
        seen.mul_(2)


def test_what_has_no_history_is_known_for_all():
    x = torch.rand(2, 3, requires_grad=True)
    assert learn(torch.ones_like, x * 2)
    assert not torch.ones_like(x * 2).requires_grad


def test_constants_are_new_each_time():
    assert learn(torch.zeros, (2, 2))
    torch.zeros((2, 2)).add_(1)
    assert torch.zeros((2, 2)).tolist() == [[0, 0], [0, 0]]


def test_settings_and_devices_are_asked():
    assert learn(torch.ones, (2, 3))
    torch.set_default_dtype(torch.float64)
    try:
        assert torch.ones((2, 3)).dtype == torch.float64
    finally:
        torch.set_default_dtype(torch.float32)
    with torch.device("meta"):
        assert torch.ones((2, 3)).is_meta
    assert torch.ones((2, 3)).dtype == torch.float32


def test_a_plan_fits_the_call_that_it_was_made_of():
    x, layer = torch.rand(2, 3, 4), torch.nn.Linear(4, 5)
    with torch.no_grad():
        first = layer(x)
        assert learn(layer, x)  # its result is a view of what is computed of parameters
        before = plans()
        assert not learn(layer, x) and plans() == before
        assert torch.equal(layer(x), first) and layer(x)._is_view() == first._is_view()
        assert not layer(x).requires_grad
    assert layer(x).requires_grad


def test_kernels_of_attention_are_asked():
    attention, x = torch.nn.functional.scaled_dot_product_attention, torch.rand(1, 2, 3, 4)
    assert learn(attention, x, x, x)
    kinds = torch.nn.attention.SDPBackend
    with torch.nn.attention.sdpa_kernel(kinds.EFFICIENT_ATTENTION), pytest.raises(RuntimeError):
        attention(x, x, x)


@pytest.mark.parametrize("function", [
    torch.nonzero, torch.argwhere, torch.unique, torch.unique_consecutive, torch.quantile, torch.nanquantile,
])  # fmt: skip
@pytest.mark.parametrize("has_history", [False, True])
def test_shapes_that_depend_on_elements_are_those_of_each_call(function, has_history):
    def made(*numbers):
        return torch.tensor([*numbers], requires_grad=has_history)

    given = (0.5,) if "quantile" in function.__name__ else ()
    inputs = [made(0.0, 2.0, 1.0, 1.0), made(0.0, 0.0, 0.0, 0.0), made(4.0, 3.0, -0.0, 0.0),
              made(float("nan"), 1.0, float("inf"), float("nan"))]  # fmt: skip
    with inline_cache.without_looks():  # other tests may have called it 99 times
        expected = [function(x, *given) for x in inputs]
    assert learn(function, made(1.0, 2.0, 0.0, 2.0), *given) or has_history
    for x, right in zip(inputs, expected, strict=True):
        found = function(x, *given)
        assert found.shape == right.shape and found.stride() == right.stride() and found.dtype is right.dtype
        assert found.detach().numpy().tobytes() == right.detach().numpy().tobytes()
        assert type(found.grad_fn) is type(right.grad_fn) and found._version == right._version


def test_counts_are_as_many_as_each_call_has():
    x = torch.tensor([0, 1, 0, 1])
    assert learn(torch.bincount, x) and torch.bincount(3 * x).tolist() == [2, 0, 0, 2]
    with pytest.raises(RuntimeError, match="non-negative"):
        torch.bincount(-x)


def test_classes_that_are_not_told_are_counted_in_each_call():
    x = torch.tensor([[0, 1], [2, 1]])
    learn(torch.nn.functional.one_hot, x)
    for most in (2, 1, 4):
        x[1, 0] = most
        found = torch.nn.functional.one_hot(x)
        assert found.shape == (2, 2, most + 1) and torch.equal(found.argmax(-1), x)


def test_calls_on_too_many_tensors_are_not_looked_at():
    parts = [torch.rand(2) for _ in range(inline_cache.TENSORS + 1)]
    assert not learn(torch.stack, parts)
    assert learn(torch.stack, parts[1:])


def test_warnings_are_given_each_time():
    x, calls = torch.rand(2, 3), 2 * inline_cache._CALLS
    for function in (torch.nn.functional.softmax, torch.nn.functional.dropout2d):
        before = plans()
        with warnings.catch_warnings(record=True) as given:
            warnings.simplefilter("always")
            for _ in range(calls):
                function(x)
        assert plans() > before and len(given) == calls
        assert {(w.filename, w.lineno) for w in given} == {(__file__, given[0].lineno)}
        torch.manual_seed(2)
        state = torch.get_rng_state()
        with warnings.catch_warnings(), pytest.raises(UserWarning, match="deprecated"):
            warnings.simplefilter("error")
            function(x)
        assert torch.equal(torch.get_rng_state(), state)


def test_a_failure_has_its_error():
    x = torch.eye(3)
    assert learn(torch.linalg.cholesky, x)
    with pytest.raises(torch.linalg.LinAlgError):
        torch.linalg.cholesky(-x)
    with pytest.raises(IndexError):
        torch.unsqueeze(x, 7)


def test_modes_are_asked():
    x = torch.rand(4, 4)
    assert learn(torch.diagonal, x)
    seen = []

    class Watch(torch.overrides.TorchFunctionMode):
        def __torch_function__(self, function, types, args=(), kwargs=None):
            seen.append(function.__name__)
            return function(*args, **(kwargs or {}))

    with Watch():
        torch.diagonal(x)
    assert seen == ["diagonal"]
    assert learn(torch.eye, 3)
    with torch.inference_mode():
        assert torch.eye(3).is_inference()
    assert torch.vmap(torch.diagonal)(x.expand(2, 4, 4)).shape == (2, 4)


def test_writes_have_no_plan():
    x = torch.rand(3)
    learn(torch.Tensor.requires_grad_, x)
    assert not x.detach().requires_grad
    y = torch.rand(3)
    y.requires_grad_()
    assert y.requires_grad


def test_arguments_are_not_kept():
    x = torch.rand(7, 3)
    assert learn(torch.hstack, [x, x])
    gone = weakref.ref(x)
    del x
    gc.collect()
    assert gone() is None


def test_arguments_by_name_are_known():
    # That a class overrides functions, as in the process of other tests, is asked of the arguments.
    type("Overriding", (torch.Tensor,), {"__torch_function__": classmethod(lambda *args: NotImplemented)})
    x = torch.arange(6.0).reshape(2, 3).clone()
    before = plans()
    for _ in range(3 * inline_cache._CALLS):
        torch.amax(x, dim=1, keepdim=True)
    assert plans() > before
    assert torch.amax(x, keepdim=True, dim=1).tolist() == [[2], [5]]
    assert torch.amax(x, dim=0, keepdim=True).tolist() == [[3, 4, 5]]
    assert torch.amax(x, dim=1).tolist() == [2, 5]
    out = torch.empty(2)
    for _ in range(3 * inline_cache._CALLS):
        out.zero_()
        assert torch.amax(x, dim=1, out=out) is out
        assert out.tolist() == [2, 5]


@pytest.mark.parametrize(
    ("function", "right", "wrong"),
    [
        (lambda i: torch.nn.functional.nll_loss(torch.zeros(3, 4), i), [0, 1, 2], [0, 1, -1]),
        (lambda p: torch.nn.functional.binary_cross_entropy(p, torch.ones(2)), [0.1, 0.5], [0.1, 1.9]),
        (lambda i: torch.nn.functional.embedding(i, torch.zeros(3, 2)), [0, 1, 2], [0, 1, -1]),
        (lambda i: torch.gather(torch.zeros(3), 0, i), [0, 1, 2], [0, 3, 1]),
    ],
)
def test_what_looks_at_its_arguments_goes_on_to_do_so(function, right, wrong):
    right, wrong = torch.tensor(right), torch.tensor(wrong)
    learn(function, right)
    for _ in range(3):
        with pytest.raises((IndexError, RuntimeError)):
            function(wrong)
        function(right)


def test_pivots_that_are_no_pairs_are_refused():
    """LAPACK would read and write behind the last row."""
    with pytest.raises(RuntimeError, match="must be rows of LD"):
        torch.linalg.ldl_solve(torch.eye(3), torch.tensor([1, 2, -3], dtype=torch.int32), torch.eye(3))
    right = torch.tensor([1, -3, -3], dtype=torch.int32)
    assert torch.linalg.ldl_solve(torch.eye(3), right, torch.eye(3)).shape == (3, 3)


def test_orders_of_polynomials_end():
    x, order = torch.rand(3), torch.tensor([1, 2, 3])
    assert learn(torch.special.hermite_polynomial_h, x, order)
    assert torch.special.hermite_polynomial_h(x, order).shape == (3,)


def test_elements_that_are_not_numpys_own_have_no_loops():
    """The character of complex halves is that of NumPy's objects, whose loops read addresses."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        x = torch.rand(3, 4).to(torch.complex32)
        learn(torch.ones_like, x)
        y = torch.ones_like(x)
        assert y.dtype is torch.complex32 and y.to(torch.complex64).sum() == 12


def test_numbers_that_never_come_again_have_few_plans():
    """A step's correction of a mean is another number each time; what comes again is known beside it."""
    x = torch.rand(3)
    before = plans()
    for k in range(5 * inline_cache._CALLS):
        for _ in range(3):  # the same for a few tensors of a step
            torch.div(x, 1 + k / 7)
    assert plans() - before <= inline_cache._FEW + 1
    turns = [torch.add, x, 0.25], [torch.add, x, 0.5]
    assert learn(lambda: [function(*args) for function, *args in turns])


def test_a_plan_is_given_up_where_another_thread_traces(monkeypatch):
    """Its trace has a value without strides in place of what a tensor holds, until it ends."""
    x, held = torch.rand(3, 7), []
    planned = inline_cache.planning.planned

    def then_traced(*given):
        found = planned(*given)
        held.append(x._value)
        x._value = object()
        return found

    monkeypatch.setattr(inline_cache.planning, "planned", then_traced)
    expected = x.flip(0).tolist()
    while not held:
        y = torch.flip(x, (0,))
    x._value = held[0]
    assert y.tolist() == torch.flip(x, (0,)).tolist() == expected


def test_threads_that_find_a_function_hot_at_once_share_its_plans():
    class Source:
        """While the first thread waits for the native function, a second has it."""

        asked = 0

        def function(self, hot):
            self.asked += 1
            if self.asked == 1:
                cache._begin(self)
            return self.asked, [0, 0]

    used, tables = [], len(inline_cache._tables)
    cache = inline_cache.InlineCache(len, None, None, used.append)
    try:
        cache._begin(Source())
        assert len(used) == 1 and inline_cache._tables[tables:] == [cache]
    finally:
        del inline_cache._tables[tables:]


@pytest.mark.parametrize("function", [torch.linalg.vander, torch.std, torch.var_mean])
def test_what_a_function_holds_and_wider_dtypes_are_known(function):
    x = torch.rand(4, 5)
    others = (x * 1e-30, torch.full((4, 5), 3e30), x - x, x.clone().fill_(torch.nan), torch.rand(4, 5))
    expected = [function(y) for y in others]
    assert learn(function, x)
    for _ in range(2):
        for y, result in zip(others, expected, strict=True):
            found = function(y)
            torch.testing.assert_close(found, result, rtol=0, atol=0, equal_nan=True)
            for part in found if isinstance(found, tuple) else (found,):
                part.zero_()


def test_a_look_at_arguments_that_differ_in_sizes_alone_is_shorter(monkeypatch):
    planning = sys.modules["pullback.tensor.inline_cache.planning"]
    whole, shorter = planning.probe, []

    def probe(arrays, ask, looks, again, own):
        shorter.append(again)
        whole(arrays, ask, looks, again, own)

    monkeypatch.setattr(planning, "probe", probe)
    x = torch.rand(2, 4, 2, 3)
    for given in (x, torch.rand(1, 4, 5, 2), x[0].clone(), x[1:].clone(), x.double()):
        assert learn(torch.nn.functional.pixel_shuffle, given, 2)
    assert shorter == [False, True, False, True, False]


def test_an_array_with_a_history_is_not_kept():
    y = torch.rand(3, requires_grad=True)

    def add(x):
        return x + y

    cached = inline_cache.repeated(add)
    for _ in range(3 * inline_cache._CALLS):
        assert torch.equal(cached(torch.rand(3)), cached(torch.zeros(3))) is False
    assert cached(torch.zeros(3)).requires_grad


def packed_by(function, *args):
    """Return what a call gives and the tensors that it sends through a hook."""
    packed = []
    with torch.autograd.graph.saved_tensors_hooks(lambda v: packed.append(v) or v, lambda v: v):
        return function(*args), packed


def test_what_a_known_call_saves_goes_through_hooks(monkeypatch):
    x, weight = hidden(3, 4), torch.nn.Parameter(torch.rand(4))
    norm = torch.nn.functional.layer_norm
    wanted, told = packed_by(norm, x, (4,), weight)
    assert learn(norm, x, (4,), weight)
    # No op is called by Python.
    monkeypatch.setattr(sys.modules["pullback.core.general_call"], "_beneath", None)
    y, packed = packed_by(norm, x, (4,), weight)
    assert packed[0] is x and packed[1] is weight
    assert [v.tolist() for v in packed] == [v.tolist() for v in told]
    assert [v.grad_fn for v in packed] == [v.grad_fn for v in told]
    seen = [torch.autograd.grad(v.sin().sum(), (x, weight)) for v in (wanted, y)]
    assert all(map(torch.equal, *seen))


def test_plans_are_made_under_hooks_where_nothing_is_written_or_drawn():
    x, weight = hidden(3, 4), torch.nn.Parameter(torch.rand(2, 4))
    assert learn(lambda: packed_by(torch.nn.functional.linear, x, weight))
    assert len(packed_by(torch.nn.functional.linear, x, weight)[1]) == 2
    moved, state = torch.zeros(3), torch.get_rng_state()
    seen = [torch.nn.functional.dropout(x)]
    for _ in range(2 * inline_cache._CALLS):
        packed_by(torch.nn.functional.relu, moved.add_(1.0), True)
        torch.set_rng_state(state)
        seen.append(packed_by(torch.nn.functional.dropout, x)[0])
        drawn = torch.get_rng_state()
    assert moved.tolist() == [2.0 * inline_cache._CALLS] * 3 and all(torch.equal(v, seen[0]) for v in seen)
    torch.set_rng_state(state)
    torch.nn.functional.dropout(x)
    assert torch.equal(torch.get_rng_state(), drawn)


def test_an_op_under_hooks_runs_as_it_runs_without():
    x, y = hidden(3), torch.rand(3, requires_grad=True)
    z, packed = packed_by(torch.mul, x, y)
    assert {id(v) for v in packed} == {id(x), id(y)}
    torch.autograd.graph.increment_version(x)
    assert torch.equal(torch.autograd.grad(z.sum(), y)[0], x)  # what is packed has no version
    z, packed = packed_by(torch.exp, x)
    assert torch.equal(packed[0], z) and packed[0].grad_fn is None
    with torch.no_grad():
        assert not packed_by(torch.exp, x)[1]


def test_hooks_are_let_go():
    class Hook:
        def __call__(self, v):
            return v

    hook = Hook()
    alive = weakref.ref(hook)
    with torch.autograd.graph.saved_tensors_hooks(hook, hook):
        torch.exp(torch.rand(3, requires_grad=True))
    del hook
    gc.collect()
    assert alive() is None


def test_other_names_of_functions_have_plans_of_their_own():
    x = torch.rand(2, 3)
    assert learn(torch.cat, [x, x])
    for _ in range(3 * inline_cache._CALLS):
        torch.concat([x, x])
    assert calls_in(torch.concat, [x, x]) == calls_in(torch.cat, [x, x])


def test_what_overrides_elsewhere_costs_a_known_call_nothing():
    x = torch.rand(2, 3)
    assert learn(torch.transpose, x, 0, 1)
    before = calls_in(torch.transpose, x, 0, 1)

    class Own(torch.Tensor):
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            return "mine"

    assert torch.transpose(x.as_subclass(Own), 0, 1) == "mine"
    assert calls_in(torch.transpose, x, 0, 1) == before
    with OwnMode():
        assert torch.transpose(x, 0, 1) == "the mode's"


class OwnMode(torch.overrides.TorchFunctionMode):
    def __torch_function__(self, func, types, args=(), kwargs=None):
        return "the mode's"


def calls_in(function, *args):
    """Return how many calls of functions one call comes to."""
    made = []
    sys.setprofile(lambda frame, event, _: made.append(event) if event.endswith("call") else None)
    try:
        function(*args)
    finally:
        sys.setprofile(None)
    return len(made)
