"""What a compiled function leaves behind is what it leaves in eager: which tensors are the same, and which
share memory.
"""

from __future__ import annotations

import copy
import io
import pickle

import pytest

import pullback as torch
from pullback import nn
from pullback.utils.checkpoint import checkpoint

pytest.importorskip("llvmlite")
pytestmark = pytest.mark.usefixtures("in_haste")


def compiled(function):
    return torch.compile(function, backend="native")


def test_who_holds_a_gradient_finds_what_a_later_step_adds():
    x = torch.ones(3, requires_grad=True)

    def step():
        (2 * x).sum().backward()

    run = compiled(step)
    run()
    held = x.grad
    run()
    run()
    assert run._native.eager_because is None
    assert held is x.grad
    assert held.tolist() == [6.0, 6.0, 6.0]


@pytest.mark.filterwarnings("ignore:Using backward")
def test_a_gradient_with_a_history_keeps_it():
    x = torch.tensor([2.0], requires_grad=True)

    def step():
        y = x**3
        y.backward(create_graph=True)
        y.backward()

    step()  # It warns of create_graph where nothing has yet; a call that does is eager's for that.
    x.grad = None
    with pytest.warns(UserWarning, match="a gradient has a history"):
        compiled(step)()
    assert x.grad.requires_grad


def test_shapes_that_do_not_broadcast_are_refused_as_in_eager():
    run = compiled(lambda x, y: x + y)
    with pytest.raises(RuntimeError, match=r"tensor a \(2\) must match the size of tensor b \(3\)"):
        run(torch.zeros(2, 2), torch.zeros(3))


LAYOUTS = {
    "elementwise of a transposed input": lambda x: x.t() * 2,
    "a reshape that copies": lambda x: (x.t() * 2).reshape(-1),
    "a reshape of a view": lambda x: (x.t() * 2).t().reshape(-1),
    "a write through a view of the transposed": lambda x: _written(x.t() * 2),
    "a copy in C order": lambda x: (x.t() * 2).contiguous(),
    "a decision about layout": lambda x: x * 3 if (x.t() * 2).is_contiguous() else x.t() + 1,
    "strides as numbers": lambda x: x * (x.t() * 2).stride(0),
    "like another": lambda x: torch.ones_like(x.t()) + x.t(),
    "channels last": lambda x: x.reshape(1, 2, 3, 1).to(memory_format=torch.channels_last) * 2,
    # Its numbers are exact: a native factor may differ from LAPACK's in the last bit.
    "a Cholesky factor": lambda x: torch.linalg.cholesky((0 * x) @ x.t() + torch.tensor([[4.0, 2], [2, 5]])),
}


def _written(y):
    y.t().reshape(-1).mul_(2)
    return y


@pytest.mark.parametrize("name", LAYOUTS)
def test_results_have_the_strides_of_eager(name):
    function = LAYOUTS[name]
    x = torch.arange(6.0).reshape(2, 3)
    run = compiled(function)
    for given in (x, torch.arange(6.0).reshape(3, 2).t()):
        want, got = function(given), run(given)
        assert run._native.eager_because is None
        assert torch.equal(got, want)
        assert got.stride() == want.stride()
        assert got.is_contiguous() == want.is_contiguous()


def test_gradients_that_are_one_array_are_one_array():
    x, z = torch.ones(2, 3, requires_grad=True), torch.ones(2, 3, requires_grad=True)
    v = torch.ones(2, 3)

    def function(x, z, v):
        return torch.autograd.grad(x + z, (x, z), v)

    for run in (function, compiled(function)):
        a, b = run(x, z, v)
        assert a.data_ptr() == b.data_ptr() == v.data_ptr()


def test_a_gradient_of_a_sum_is_expanded():
    x = torch.ones(2, 3, requires_grad=True)

    def function(x):
        return torch.autograd.grad(x.sum(), x)[0]

    for run in (function, compiled(function)):
        assert run(x).stride() == (0, 0)


def test_the_gradient_of_a_leaf_is_laid_out_as_the_leaf():
    w = torch.randn(4, 3, 2, 2).to(memory_format=torch.channels_last).requires_grad_()
    run = compiled(lambda w: (w.sin() ** 2).sum().backward())
    run(w)
    assert run._native.eager_because is None
    assert w.grad.stride() == w.stride() == (12, 1, 6, 3)


def test_a_pullback_reads_a_result_that_lies_otherwise():
    x = torch.randn(2, 3, requires_grad=True)
    run = compiled(lambda x: x.t().exp())
    y = run(x)
    assert y.stride() == (1, 3)
    (got,) = torch.autograd.grad(y, x, torch.ones(3, 2), retain_graph=True)
    torch.testing.assert_close(got, x.detach().exp())
    y.detach().mul_(2)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.sum().backward()


#: Functions of a leaf and of an input or an earlier result, which is written to before backward. A derivative
#: reads the tensor itself, a view of it, or what only the function has computed of it.
READ_LATER = {
    "clone": lambda w, x: w * x.clone(), "number": lambda w, x: w * (x * 2), "one": lambda w, x: w * (x * 1),
    "cast": lambda w, x: w * x.to(torch.float64), "relu": lambda w, x: w * x.relu(),
    "mask": lambda w, x: w * (x > 0), "where": lambda w, x: w * torch.where(x > 0, x, x),
    "view of a sum": lambda w, x: w * (x + 1).view(3, 2), "column": lambda w, x: w[:, 0] * (x[:, 0] * 2),
    "transposed": lambda w, x: w.t() * (x.t() + 1), "larger": lambda w, x: w * (x[:, None] - x).neg(),
    "expanded": lambda w, x: w * (x.expand(4, 3, 2) + 1), "chain": lambda w, x: w * -(x * 2 + 1).abs(),
    "itself": lambda w, x: w * x, "both ways": lambda w, x: x * w * x.exp() + (x + 1) * w,
    "a view": lambda w, x: w.t() * x.t(), "both": lambda w, x: w * x * (x > 0),
}  # fmt: skip


@pytest.mark.parametrize("counted", [True, False])
@pytest.mark.parametrize("owner", ["input", "result"])
@pytest.mark.parametrize("function", READ_LATER.values(), ids=READ_LATER)
def test_a_write_before_backward_is_refused_or_seen_where_eager_does(function, owner, counted):
    """A cheap result was computed again, of what the tensor held by then."""

    def step(w, x):
        x = x if owner == "input" else x.sin()
        return x, function(w, x)

    run = compiled(step)
    outcomes = []
    for call in (step, run, run):
        w = torch.arange(6.0).view(3, 2).requires_grad_()
        x, y = call(w, torch.linspace(-1, 1, 6).view(3, 2))
        (x if counted else x.data).add_(3)
        try:
            y.sum().backward()
            outcomes.append(w.grad.round(decimals=4).tolist())
        except RuntimeError as error:
            outcomes.append(str(error).partition(":")[0])
    assert outcomes[1:] == outcomes[:1] * 2


#: Functions of several results, and which of them are pulled back in turn, the graph retained or not.
APART = {
    "nothing shared": (lambda w, x: (w * x, w.exp()), [(0, False), (1, False)]),
    "nothing saved": (lambda w, x: w + x, [(0, False), (0, False), (0, False)]),
    "nothing saved of what is shared": (lambda w, x: ((h := w + x) * 2, h - 1), [(0, False), (1, False)]),
    "something shared": (lambda w, x: ((h := w * x) * 2, h - 1), [(0, False), (1, False)]),
    "one twice": (lambda w, x: (w * x, w.exp()), [(0, False), (0, False)]),
    "both again": (lambda w, x: (w * x, w.exp()), [(0, False), (1, False), (1, False)]),
    "retained": (lambda w, x: (w * x, w.exp()), [(0, True), (1, False), (0, False), (1, False)]),
    "retained, after a refusal": (
        lambda w, x: (w * x, w.exp()), [(0, False), (1, True), (0, False), (1, False), (1, False)],
    ),
    "parts, then the sum": (
        lambda w, x: (a := w * x, b := w.exp(), a + b), [(0, False), (1, True), (2, False)],
    ),
    "the sum, then a part": (lambda w, x: (a := w * x, b := w.exp(), a.sin() + b), [(2, False), (1, False)]),
}  # fmt: skip


@pytest.mark.parametrize(("function", "backwards"), APART.values(), ids=APART)
def test_the_backward_of_one_result_frees_what_others_read_where_eager_does(function, backwards):
    outcomes = []
    run = compiled(function)
    for call in (function, run, run):
        outcomes.append(found := [])
        w = torch.tensor([1.0, -1.0, 0.5]).requires_grad_()
        results = call(w, torch.tensor([1.0, 2.0, 3.0]))
        for n, retain in backwards:
            try:
                one = results if isinstance(results, torch.Tensor) else results[n]
                one.sum().backward(retain_graph=retain)
                found.append(w.grad.round(decimals=4).tolist())
            except RuntimeError as error:
                found.append(str(error).partition(".")[0])
    assert outcomes[1:] == outcomes[:1] * 2


def test_a_write_to_an_inference_tensor_with_views_runs_eagerly():
    def function(x):
        with torch.inference_mode():
            y = x * 2
            y.t().clamp_(min=1)
        return y.clone()

    with pytest.warns(UserWarning, match="inference tensor that has views"):
        got = compiled(function)(torch.zeros(2, 3))
    assert got.tolist() == [[1.0] * 3] * 2


def _shifted_right(x):
    y = torch.zeros(2, 3)
    y[:, 1:] = x[:, :-1]
    y[:, 0] = 7
    return y


def _half_in_place(x):
    y = x.exp().view(3, 2)
    return y.clamp_(max=1.5)


@pytest.mark.parametrize("function", [_shifted_right, _half_in_place])
def test_a_write_to_an_inference_tensor_of_which_no_view_is_left_is_compiled(function):
    x = torch.arange(6.0).view(2, 3)
    run = compiled(function)
    with torch.inference_mode():
        want, got, again = function(x), run(x), run(x + 1)
    assert run._native.eager_because is None
    assert got.is_inference() and torch.equal(got, want) and torch.equal(again, function(x + 1))


def _copy_into_a_part(x):
    y = torch.zeros(2, 3)
    y[:, 1:].copy_(x[:, 1:])
    return y


def _write_beside_a_view(x):
    y = torch.zeros(2, 3)
    part = y[1:]
    y[:, 0] = x[:, 1]
    return part.clone()


def _write_to_a_view_of_what_was_detached(x):
    y = x * 1
    detached = y.detach()
    part = y.view(-1)
    del y
    part.add_(1)
    return detached


@pytest.mark.parametrize(
    "function", [_copy_into_a_part, _write_beside_a_view, _write_to_a_view_of_what_was_detached]
)
def test_a_write_to_memory_that_another_inference_tensor_has_is_not_lost(function):
    x = torch.arange(6.0).view(2, 3)
    with torch.inference_mode(), pytest.warns(UserWarning, match="inference tensor that has views"):
        assert torch.equal(compiled(function)(x), function(x))


@pytest.mark.parametrize("late", [False, True])
def test_data_of_a_parameter_are_multiplied_in_place(late):
    def steps(compile):
        torch.manual_seed(0)
        layer = nn.Linear(3, 2)
        update = torch.optim.SGD(layer.parameters(), 0.1, momentum=0.9)
        x, mask = torch.randn(4, 3), torch.tensor([[1.0, 0.0, 1.0]])

        def step():
            update.zero_grad()
            saved = layer.weight.exp() if late else 1
            layer.weight.data *= mask
            loss = (layer(x).square().mean() * saved).sum()
            loss.backward()
            update.step()
            return loss

        run = compile(step)
        values = [run().item() for _ in range(3)]
        return run, [*values, *layer.weight.flatten().tolist(), layer.weight._version]

    run, got = steps(compiled)
    assert run._native.eager_because is None
    assert got == pytest.approx(steps(lambda step: step)[1])


@pytest.mark.parametrize("reentrant", [False, True])
def test_a_checkpointed_stretch_draws_what_it_drew_before(reentrant):
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(6, 8), nn.Dropout(0.5), nn.Linear(8, 3), nn.Dropout(0.5))

    def inside(x):
        loss = checkpoint(model, x, use_reentrant=reentrant).square().sum()
        loss.backward()
        return loss

    def outside(x):
        return checkpoint(model, x, use_reentrant=reentrant).square().sum()

    x = torch.randn(4, 6, requires_grad=True)
    for function in (inside, outside):
        found = []
        run = compiled(function)
        for call in (function, run):
            torch.manual_seed(1)
            for _ in range(2):
                loss = call(x)
                if function is outside:
                    loss.backward()
            found.append([loss.detach(), torch.get_rng_state(), *(p.grad for p in (x, *model.parameters()))])
            x.grad = None
            model.zero_grad()
        assert run._native.eager_because is None
        for got, want in zip(found[1], found[0], strict=True):
            torch.testing.assert_close(got, want)


def test_a_checkpointed_stretch_that_writes_to_buffers_runs_eagerly():
    model = nn.Sequential(nn.Linear(6, 8), nn.BatchNorm1d(8))
    with pytest.warns(UserWarning, match="pulling its results back writes to tensors"):
        compiled(lambda x: checkpoint(model, x, use_reentrant=False).sum())(torch.randn(4, 6)).backward()
    assert model[1].num_batches_tracked == 2


def test_a_copy_of_a_compiled_module_has_programs_of_its_own():
    module = torch.compile(nn.Linear(3, 2), backend="native")
    x = torch.randn(4, 3)
    want = module(x)
    for made in (copy.deepcopy(module), pickle.loads(pickle.dumps(module)), saved_and_loaded(module)):
        torch.testing.assert_close(made(x), want)
        with torch.no_grad():
            made.weight.zero_()
            made.bias.fill_(3)
        assert made(x).tolist() == [[3.0, 3.0]] * 4
        assert made._call._native.specializations
        assert list(made.state_dict()) == ["_orig_mod.weight", "_orig_mod.bias"]
    torch.testing.assert_close(module(x), want)


def saved_and_loaded(module):
    memory = io.BytesIO()
    torch.save(module, memory)
    memory.seek(0)
    return torch.load(memory, weights_only=False)


class Remembering(nn.Module):
    """A recurrent cell that keeps its state."""

    def __init__(self, state, detach):
        super().__init__()
        torch.manual_seed(0)
        self.cell, self.head = nn.GRUCell(6, 5), nn.Linear(5, 1)
        self.state, self.detach = state, detach

    def forward(self, x):
        before = torch.zeros(len(x), 5) if self.state is None else self.state
        after = self.cell(x, before)
        self.state = after.detach() if self.detach else after
        return self.head(after)


@pytest.mark.parametrize("begins_empty", [False, True])
@pytest.mark.parametrize("detach", [False, True])
def test_a_tensor_that_each_call_replaces_is_an_input_by_its_place(begins_empty, detach):
    found = []
    for kind in ("eager", "native"):
        module = Remembering(None if begins_empty else torch.zeros(2, 5), detach)
        run = torch.compile(module, backend=kind)
        torch.manual_seed(1)
        total = torch.zeros(())
        for step in range(12):
            if begins_empty and step % 4 == 0:
                module.state = None
            total = total + run(torch.randn(2, 6)).square().sum()
        total.backward()
        assert module.state.requires_grad == (not detach)
        found.append([total.detach(), module.state.detach(), *(p.grad for p in module.parameters())])
    assert run._call._native.eager_because is None
    assert run._call._native._traces <= 2
    for got, want in zip(found[1], found[0], strict=True):
        torch.testing.assert_close(got, want)


def test_a_state_of_another_shape_is_another_program():
    module = Remembering(None, True)
    run = torch.compile(module, backend="native")
    for size in (2, 2, 3, 3, 2):
        if module.state is not None and len(module.state) != size:
            module.state = module.state.new_zeros(size, 5)
        run(torch.ones(size, 6))
        assert tuple(module.state.shape) == (size, 5)
    assert run._call._native.eager_because is None
    assert len(run._call._native.specializations) == 3


def test_a_state_stays_where_a_call_fails(monkeypatch):
    module = Remembering(torch.zeros(2, 5), True)
    run = torch.compile(module, backend="native")
    run(torch.ones(2, 6)), run(torch.ones(2, 6))
    before = module.state

    def fails(*_):
        raise MemoryError

    (program,) = run._call._native.specializations
    monkeypatch.setattr(program.forward, "run", fails)
    run._call._native.shortcuts.clear()
    with pytest.raises(MemoryError):
        run(torch.ones(2, 6))
    assert module.state is before


def test_draws_follow_the_memory_of_what_the_function_is_given():
    run = compiled(lambda x: nn.functional.dropout(x, 0.5))
    for given in (torch.ones(4, 3), torch.ones(3, 4).t()):
        torch.manual_seed(0)
        want = nn.functional.dropout(given, 0.5)
        for _ in range(2):
            torch.manual_seed(0)
            assert torch.equal(run(given), want)


LIKE = {
    "columns": lambda x: (2 * x).chunk(2, -1)[0],
    "rows": lambda x: (2 * x)[::2],
    "transposed": lambda x: (2 * x).t(),
    "expanded": lambda x: (2 * x)[:, :1].expand(-1, 5),
}
DRAWS = {
    "randn_like": torch.randn_like,
    "randn_like_in_rows": lambda x: torch.randn_like(x, memory_format=torch.contiguous_format),
    "rand_like": torch.rand_like,
    "rand_like_in_rows": lambda x: torch.rand_like(x, memory_format=torch.contiguous_format),
    "randint_like": lambda x: torch.randint_like(x, 9),
    "normal": lambda x: torch.normal(x, 1.0),
    "dropout": nn.functional.dropout,
}


@pytest.mark.parametrize("draw", DRAWS)
@pytest.mark.parametrize("like", LIKE)
def test_numbers_drawn_like_a_view_are_eagers(like, draw):
    def function(x):
        return DRAWS[draw](LIKE[like](x))

    x, found = torch.randn(8, 6), []
    for run in (function, compiled(function)):
        torch.manual_seed(0)
        found.append(run(x))
    torch.testing.assert_close(*found, rtol=1e-6, atol=1e-6)
    assert found[0].stride() == found[1].stride()


def output_and_loss(x, w, v):
    out = (x * w).tanh()
    return (out * v).sum() + w.sum(), out, v.exp()


@pytest.mark.parametrize("keep", [False, True])
def test_results_that_others_are_computed_of_see_what_these_send(keep):
    def seen(function):
        w, v = (torch.tensor([1.0, 2.0]).requires_grad_() for _ in range(2))
        loss, out, other = function(torch.tensor([0.5, -1.0]), w, v)
        before = (loss * 2).exp().log()
        found = [torch.autograd.grad(loss, out, retain_graph=True)[0]]
        out.retain_grad()
        out.register_hook(lambda g: found.append(g) or g * 3)
        other.register_hook(found.append)
        edge = torch.autograd.graph.get_gradient_edge(out)
        found += torch.autograd.grad(before, [edge, w], retain_graph=True)
        torch.autograd.backward(loss, inputs=[out], retain_graph=True)
        (before + out.sum()).backward(retain_graph=keep)
        found += [out.grad, w.grad, v.grad]
        try:
            out.sum().backward()
            found.append(w.grad)
        except RuntimeError as error:
            found.append(str(error)[:40])
        return [f if isinstance(f, str) else [round(n, 4) for n in f.tolist()] for f in found]

    run = compiled(output_and_loss)
    assert seen(run) == seen(output_and_loss)
    assert run._native.eager_because is None


def test_results_of_one_operation_refuse_a_look_at_one():
    run = compiled(lambda x: x.sort())
    values, _ = run(torch.tensor([2.0, 1.0], requires_grad=True))
    values.retain_grad()
    values.sum().backward()
    assert values.grad.tolist() == [1.0, 1.0]
    q, _ = compiled(torch.linalg.qr)(torch.eye(2, requires_grad=True))
    with pytest.raises(RuntimeError, match="is not known"):
        q.register_hook(print)
