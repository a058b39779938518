"""Mends that answers suggest are applied to the program, and the symptom goes.

A case is a program as posted, what it asks (``none:x``, ``zero:x``, ``nan:x``, or an error), the line
that is named, words of the mend, and the program's text before and after the mend.
"""

from __future__ import annotations

import linecache
import math
import warnings
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import pullback as torch
from pullback import explain


class Case(NamedTuple):
    """Hold one program with its mistake, and the same one mended."""

    asks: str
    line: str
    mend: str
    program: str
    before: str
    after: str


HYPER = """
hyper, main = nn.Linear(2, 6), nn.Linear(3, 2)
x = torch.randn(4, 3)
w = hyper(torch.ones(2)).view(2, 3)
{write}
loss = main(x).pow(2).mean()
loss.backward()
"""
MEND_OF_HYPER = ("main(x)", "torch.func.functional_call(main, {'weight': w}, x)")

CASES = {
    "frozen_before_the_head": Case(
        "error", "p.requires_grad = False", "before the optimizer is made", """
model = nn.Sequential(nn.Linear(3, 4), nn.Linear(4, 5))
for p in model.parameters():
    p.requires_grad = False
optimizer = torch.optim.SGD(filter(lambda p: p.requires_grad, model.parameters()), lr=0.1)
""", "optimizer =", "model[1] = nn.Linear(4, 2)\noptimizer ="),
    "indices_of_max": Case(
        "error", "q = net(s).max(1)[1]", "let the values take part", """
net = nn.Linear(4, 3)
s = torch.randn(5, 4)
q = net(s).max(1)[1]
loss = (q - torch.ones(5)).pow(2).mean()
loss.backward()
""", "max(1)[1]", "max(1)[0]"),
    "indices_of_topk": Case(
        "none:gate.weight", "_, idx = gate(x).topk(1)", "weigh what is chosen by its score", """
gate, experts = nn.Linear(4, 3), nn.ModuleList([nn.Linear(4, 4) for _ in range(3)])
x = torch.randn(6, 4)
_, idx = gate(x).topk(1)
out = torch.stack([experts[int(i)](row) for i, row in zip(idx, x)])
loss = out.pow(2).mean()
loss.backward()
""", "_, idx = gate(x).topk(1)\nout = torch.stack(", "v, idx = gate(x).topk(1)\nout = v * torch.stack("),
    "linear_in_x": Case(
        "error", "ux = torch.autograd.grad", "adding `0 * x` to it", """
x = torch.linspace(0, 1, 5, requires_grad=True)
u = 3 * x + 1
ux = torch.autograd.grad(u.sum(), x, create_graph=True)[0]
uxx = torch.autograd.grad(ux.sum(), x)[0]
""", "uxx =", "ux = ux + 0 * x\nuxx ="),
    "second_derivative_of_relu": Case(
        "zero:net[0].weight", "uxx = torch.autograd.grad", "tanh", """
net = nn.Sequential(nn.Linear(1, 8), nn.ReLU(), nn.Linear(8, 1))
x = torch.linspace(0, 1, 10).reshape(-1, 1).requires_grad_(True)
ux = torch.autograd.grad(net(x).sum(), x, create_graph=True)[0]
uxx = torch.autograd.grad(ux.sum(), x, create_graph=True)[0]
loss = (uxx - 1).pow(2).mean()
loss.backward(retain_graph=True)
""", "nn.ReLU", "nn.Tanh"),
    "bias_out_of_a_derivative": Case(
        "none:net[2].bias", "ux = torch.autograd.grad", "boundary term", """
net = nn.Sequential(nn.Linear(1, 8), nn.Tanh(), nn.Linear(8, 1))
x = torch.linspace(0, 1, 10).reshape(-1, 1).requires_grad_(True)
u = net(x)
ux = torch.autograd.grad(u.sum(), x, create_graph=True)[0]
loss = (ux - 1).pow(2).mean()
loss.backward()
""", "loss = (ux - 1)", "loss = u[0].square() + (ux - 1)"),
    "input_of_zeros": Case(
        "zero:net.weight", "ux = torch.autograd.grad", "look where that comes from", """
net, s = nn.Linear(3, 1), torch.zeros(5, 1)
x = torch.randn(5, 3, requires_grad=True)
ux = torch.autograd.grad((net(x) * s).sum(), x, create_graph=True)[0]
loss = (ux - 1).pow(2).mean()
loss.backward(retain_graph=True)
""", "torch.zeros(", "torch.ones("),
    "weight_copied": Case(
        "none:hyper.weight", "main.weight.data.copy_(w)", "functional_call(module",
        HYPER.format(write="main.weight.data.copy_(w)"), *MEND_OF_HYPER),
    "weight_made_a_parameter": Case(
        "none:hyper.weight", "main.weight = nn.Parameter(w)", "functional_call(layer",
        HYPER.format(write="main.weight = nn.Parameter(w)"), *MEND_OF_HYPER),
    "state_dict_of_a_mixture": Case(
        "none:a", "net.load_state_dict(", "functional_call(module", """
a = nn.Parameter(torch.tensor(0.5))
net, x = nn.Linear(3, 1), torch.randn(5, 3)
state = net.state_dict()
net.load_state_dict({k: a * state[k] for k in state})
loss = net(x).pow(2).mean()
loss.backward()
""", "net(x)", "torch.func.functional_call(net, {k: a * state[k] for k in state}, x)"),
    "expert_never_chosen": Case(
        "none:experts[1].weight", "out[sel] = experts[e](x[sel])", "use it in the forward pass", """
experts = nn.ModuleList([nn.Linear(4, 4) for _ in range(2)])
x, route = torch.randn(4, 4), torch.tensor([0, 0, 0, 0])
out = torch.zeros(4, 4)
for e in range(2):
    sel = route == e
    if sel.any():
        out[sel] = experts[e](x[sel])
loss = out.pow(2).mean()
loss.backward()
""", "[0, 0, 0, 0]", "[0, 1, 0, 0]"),
    "straight_through_a_codebook": Case(
        "none:book.weight", "zq = z + (zq - z).detach()", "leave `detach()` out", """
book, z = nn.Embedding(6, 4), torch.randn(5, 4, requires_grad=True)
idx = torch.cdist(z, book.weight).argmin(1)
zq = book(idx)
zq = z + (zq - z).detach()
loss = zq.pow(2).mean()
loss.backward()
""", "(zq - z).detach()", "(zq - z)"),
    "number_of_math": Case(
        "none:s", "sigma = math.exp(s)", "`torch.exp`", """
s, m = torch.zeros(1, requires_grad=True), torch.zeros(1, requires_grad=True)
sigma = math.exp(s)
loss = ((1 - m) / sigma).sum()
loss.backward()
""", "math.exp", "torch.exp"),
    "forward_called": Case(
        "none:w", "y = Sign.forward(None, w)", "`Sign.apply(…)`", """
class Sign(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return (x > 0).float()
    @staticmethod
    def backward(ctx, g):
        return g
w, s = torch.randn(4, requires_grad=True), torch.ones(4, requires_grad=True)
y = Sign.forward(None, w)
loss = (y * s).sum()
loss.backward()
""", "Sign.forward(None, w)", "Sign.apply(w)"),
    "form_of_a_leaf": Case(
        "none:img", "img = img.unsqueeze(0)", "give the result another name", """
img = torch.ones(1, 4, 4, requires_grad=True)
img = img.unsqueeze(0)
loss = img.pow(2).sum()
loss.backward()
""", "img = img.unsqueeze(0)\nloss = img", "batch = img.unsqueeze(0)\nloss = batch"),
    "metric_outside": Case(
        "error", "loss = torch.tensor(", "compute with tensors", """
def rmse(a):
    return (a ** 2).mean() ** 0.5
out = nn.Linear(3, 2)(torch.randn(6, 3))
loss = torch.tensor(rmse(out.detach().numpy()))
loss.backward()
""", "torch.tensor(rmse(out.detach().numpy()))", "rmse(out)"),
    "hook_sums": Case(
        "error", "h.register_hook(", "of the same shape", """
h = torch.ones(3, 2, requires_grad=True) * 2
h.register_hook(lambda g: g.sum(0))
h.sum().backward()
""", "g.sum(0)", "g.sum(0).expand(3, 2)"),
    "only_the_largest": Case(
        "zero:x", "loss = x.max()", "`logsumexp`", """
x = torch.tensor([1.0, 5.0, 2.0], requires_grad=True)
loss = x.max() * 3
loss.backward()
""", "x.max()", "x.logsumexp(0)"),
    "loss_alone_is_nan": Case(
        "nan:net.weight", "loss = torch.log(", "clamp the input", """
net = nn.Linear(3, 2)
with torch.no_grad():
    net.weight.fill_(-1.0)
    net.bias.zero_()
out = net(torch.tensor([[1.0, 2.0, 3.0]]))
loss = torch.log(out).mean()
loss.backward()
""", "torch.log(out)", "torch.log(out.clamp(min=1e-6))"),
    "nan_in_the_data": Case(
        "nan:net.weight", "x = torch.tensor(", "or at the data", """
net = nn.Linear(3, 1)
x = torch.tensor([[1.0, float("nan"), 2.0], [1.0, 2.0, 3.0]])
loss = net(x).pow(2).mean()
loss.backward()
""", 'float("nan")', "0.0"),
    "input_returned_as_it_is": Case(
        "error", "return x", "`ctx.mark_dirty(x)`", """
class Twice(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        x *= 2.0
        return x
    @staticmethod
    def backward(ctx, g):
        return g * 2
y = Twice.apply(torch.ones(3, requires_grad=True) * 1)
y *= 3
y.sum().backward()
""", "x *= 2.0", "x *= 2.0\n        ctx.mark_dirty(x)"),
    "inputs_returned_as_they_are": Case(
        "error", "return x, y", "`ctx.mark_dirty(x)`", """
class Doubled(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, y):
        x *= 2.0
        return x, y
    @staticmethod
    def backward(ctx, g, h):
        return g * 2, h
x, y = Doubled.apply(torch.ones(3, requires_grad=True) * 1, torch.ones(3, requires_grad=True) * 1)
x *= 3
(x * y).sum().backward()
""", "x *= 2.0", "x *= 2.0\n        ctx.mark_dirty(x)"),
    "gradient_within_a_backward": Case(
        "error", "return torch.autograd.grad(outputs=out", "with torch.enable_grad()", """
class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x
    @staticmethod
    def backward(ctx, g):
        x, = ctx.saved_tensors
        out = x * x
        return torch.autograd.grad(outputs=out, inputs=x, grad_outputs=g)[0]
Square.apply(torch.ones(3, requires_grad=True)).sum().backward()
""", "out = x * x\n", "with torch.enable_grad(): x = x.detach().requires_grad_(); out = x * x\n"),
    "backward_of_numpy": Case(
        "error", "return 2 * x.numpy()", "torch.from_numpy", """
class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x
    @staticmethod
    def backward(ctx, g):
        x = ctx.saved_tensors[0].detach()
        return 2 * x.numpy() * g.numpy()
Square.apply(torch.ones(3, requires_grad=True)).sum().backward()
""", "2 * x.numpy() * g.numpy()", "torch.from_numpy(2 * x.numpy() * g.numpy())"),
    "forward_of_numpy": Case(
        "error", "y = Twice.apply(x)", "torch.from_numpy", """
class Twice(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.detach().numpy() * 2
    @staticmethod
    def backward(ctx, g):
        return g * 2
x = torch.ones(3, requires_grad=True)
y = Twice.apply(x)
y.sum().backward()
""", "x.detach().numpy() * 2", "torch.from_numpy(x.detach().numpy() * 2)"),
    "values_marked": Case(
        "error", "v, i = Sorted.apply(x)", "ctx.mark_non_differentiable(indices)", """
class Sorted(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        v, i = x.sort()
        ctx.mark_non_differentiable(v)
        ctx.save_for_backward(i)
        return v, i
    @staticmethod
    def backward(ctx, g, _):
        return torch.zeros_like(g).scatter(0, ctx.saved_tensors[0], g)
x = torch.tensor([2.0, 1.0], requires_grad=True)
v, i = Sorted.apply(x)
v.sum().backward()
""", "differentiable(v)", "differentiable(i)"),
    "derivative_kept_in_ctx": Case(
        "none:x", "dx = torch.autograd.grad", "`ctx.saved_tensors` in the backward", """
class Cube(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        ctx.slope = 3 * x * x
        return x ** 3
    @staticmethod
    def backward(ctx, g):
        return g * ctx.slope
x, b = torch.ones(1, requires_grad=True), torch.ones(1, requires_grad=True)
y = Cube.apply(x)
dx = torch.autograd.grad(y.sum(), x, create_graph=True)[0]
loss = (dx * b).sum()
loss.backward()
""", "g * ctx.slope", "g * 3 * ctx.saved_tensors[0] ** 2"),
    "step_without_derivative": Case(
        "error", "count = torch.heaviside(", "a sigmoid for a step", """
t, x = torch.tensor(0.5, requires_grad=True), torch.rand(9)
count = torch.heaviside(x - t, torch.tensor(0.0)).sum()
count.backward()
""", "torch.heaviside(x - t, torch.tensor(0.0))", "torch.sigmoid(9 * (x - t))"),
    "memory_written_in_forward": Case(
        "error", "self.memory[0] = ", "into a view of `x.clone()`", """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.memory, self.layer = nn.Parameter(torch.ones(2, 3)), nn.Linear(3, 3)
    def forward(self, x):
        memory = self.memory
        self.memory[0] = self.layer(x)
        return memory.sum()
net = Net()
net(torch.ones(3)).backward()
""", "= self.memory\n        self.memory[0]", "= self.memory.clone()\n        memory[0]"),
    "parameter_of_integers": Case(
        "error", "w = nn.Parameter(", "`.float()`", """
w = nn.Parameter(torch.tensor([1, 2, 3]))
(w * 2).sum().backward()
""", "3])", "3]).float()"),
    "covector_below_half": Case(
        "zero:w", "loss = (w * 1e-4)", "scale the loss", """
w = torch.tensor([1e-3, 2e-3], dtype=torch.float16, requires_grad=True)
loss = (w * 1e-4).pow(2).sum()
loss.backward(retain_graph=True)
""", "float16", "float32"),
    "row_of_the_padding": Case(
        "zero:table.weight", "out = table(", "`padding_idx`", """
table = nn.Embedding(3, 2, padding_idx=0)
out = table(torch.tensor([[1, 2, 0]]))
loss = out.exp().sum()
loss.backward()
""", ", padding_idx=0", ""),
    "saved_values_read": Case(
        "error", "print(y.grad_fn._saved_result)", "`retain_graph=True`", """
y = torch.ones(3, requires_grad=True).exp()
y.sum().backward()
print(y.grad_fn._saved_result)
""", "backward()", "backward(retain_graph=True)"),
    "backward_on_a_gradient": Case(
        "error", "x.grad.backward()", "`backward(create_graph=True)`", """
x = torch.tensor(2.0, requires_grad=True)
y = x ** 3
y.backward()
x.grad.backward()
""", "y.backward()", "y.backward(create_graph=True)"),
    "comparison_goes_backward": Case(
        "error", "(h > 1)", "a sigmoid", """
h = torch.ones(3, requires_grad=True) * 2
(h > 1).float().mean().backward()
""", "(h > 1).float()", "torch.sigmoid(h - 1)"),
    "embedding_of_floats": Case(
        "error", "out = table(x)", "`x.long()`", """
table, x = nn.Embedding(5, 3), torch.tensor([1.0, 2.0])
out = table(x)
""", "table(x)", "table(x.long())"),
    "integers_made_in_the_loss": Case(
        "error", "counts = x.int() * 2", "keep a floating dtype", """
x = torch.tensor([1.2, 3.4], requires_grad=True)
counts = x.int() * 2
loss = (counts.float() - 3).square().sum()
loss.backward()
""", ".int()", ""),
    "reads_what_it_writes": Case(
        "error", "u[i] = u[i - 1]", "copy what the line reads of it (`u[…].clone()`)", """
k, u = torch.tensor(2.0, requires_grad=True), torch.ones(5)
for i in range(1, 5):
    u[i] = u[i - 1] * torch.exp(-k)
u.sum().backward()
""", "u[i - 1]", "u[i - 1].clone()"),
    "one_part_goes_backward_twice": Case(
        "error", "u.sum().backward()", "add the losses and call backward once", """
x = torch.linspace(0, 1, 5, requires_grad=True)
u = torch.sin(x * 3) * x
u.sum().backward()
flux = u * 2
flux.sum().backward()
""", "u.sum().backward()\nflux = u * 2\nflux.sum()", "flux = u * 2\n(u.sum() + flux.sum())"),
    "condition_under_vmap": Case(
        "error", "if r.abs() < 1.0:", "`torch.where(condition, a, b)`", """
def huber(r):
    if r.abs() < 1.0:
        return 0.5 * r ** 2
    return r.abs() - 0.5
torch.func.vmap(huber)(torch.linspace(-3, 3, 7))
""", "    if r.abs() < 1.0:\n        return 0.5 * r ** 2\n    return r.abs() - 0.5",
        "    return torch.where(r.abs() < 1.0, 0.5 * r ** 2, r.abs() - 0.5)"),
    "number_under_vmap": Case(
        "error", "return row[i.item()]", "`torch.gather`", """
def pick(row, i):
    return row[i.item()]
torch.func.vmap(pick)(torch.ones(3, 4), torch.tensor([0, 2, 1]))
""", "row[i.item()]", "torch.gather(row, 0, i.unsqueeze(0))"),
    "draw_under_vmap": Case(
        "error", "return (x + torch.randn(3))", '`randomness="different"`', """
def noisy(x):
    return (x + torch.randn(3)).sum()
torch.func.vmap(noisy)(torch.ones(4, 3))
""", "vmap(noisy)", "vmap(noisy, randomness='different')"),
    "written_under_vmap": Case(
        "error", "out[0] = x.sum()", "`x.new_zeros(…)`", """
def total(x):
    out = torch.zeros(2)
    out[0] = x.sum()
    return out
torch.func.vmap(total)(torch.ones(4, 3))
""", "torch.zeros", "x.new_zeros"),
    "kept_from_a_transform": Case(
        "error", "print(kept[0] + 1)", "a second result of the function under `vmap`", """
kept = []
def f(x):
    kept.append(x * 2)
    return x.sum(), x * 2
_, kept2 = torch.func.vmap(f)(torch.ones(4, 3))
print(kept[0] + 1)
""", "kept[0]", "kept2[0]"),
    "axes_of_vmap": Case(
        "error", "torch.func.vmap(", "`vmap(f, in_dims=(0, None))`", """
f = lambda x, w: x @ w
torch.func.vmap(f)(torch.ones(4, 3), torch.ones(3, 2))
""", "vmap(f)", "vmap(f, in_dims=(0, None))"),
    "grad_of_several_numbers": Case(
        "error", "torch.func.grad(", "reduce the result", """
energy = lambda x: x ** 2
torch.func.grad(energy)(torch.ones(3))
""", "x ** 2", "(x ** 2).sum()"),
}  # fmt: skip


def run(case: Case, text: str, path: Path) -> tuple[Any, bool]:
    """Run a program: the answer to what it asks, and whether it shows the symptom."""
    path.write_text(text + QUESTIONS[case.asks.partition(":")[0]].format(x=case.asks.partition(":")[2]))
    linecache.checkcache()
    torch.manual_seed(0)
    variables: dict[str, Any] = {"torch": torch, "nn": torch.nn, "math": math, "explain": explain}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            exec(compile(path.read_text(), str(path), "exec"), variables)
        except (RuntimeError, ValueError, AttributeError) as error:
            assert case.asks == "error"
            return explain.why_error(error), True
    return variables["answer"], variables["shown"]


QUESTIONS = {
    "error": "answer, shown = None, False\n",
    "none": "answer, shown = explain.why_none({x}), {x}.grad is None\n",
    "zero": "answer, shown = explain.why_zero({x}), bool(({x}.grad == 0).any())\n",
    "nan": "answer, shown = explain.why_nan({x}), not bool(loss.isfinite())\n",
}


@pytest.mark.parametrize("name", CASES)
def test_mend_works(name: str, tmp_path: Path) -> None:
    case = CASES[name]
    answer, shown = run(case, case.program, tmp_path / "posted.py")
    assert shown
    assert answer.place is not None and answer.place.code.startswith(case.line)
    assert case.mend in answer.mend
    assert case.before in case.program
    mended = case.program.replace(case.before, case.after)
    assert run(case, mended, tmp_path / "mended.py")[1] is False
