"""Programs that meet histories from before the call, and leaves that become others."""

from __future__ import annotations

from .programs import read

PROGRAMS = read(r'''
=== backward_of_a_state
w = nn.Parameter(torch.ones(3))
u = nn.Parameter(torch.ones(3))
y = (w * u).sum()
def step(x):
    y.backward(retain_graph=True)
    return x * 1
--- change 2
w.data.mul_(3)
--- state
w.grad, u.grad
=== backward_of_an_argument
w = nn.Parameter(torch.ones(3))
u = nn.Parameter(torch.ones(3))
def step(l):
    l.backward()
    return l * 1
--- call
(w * u * n).sum()
--- state
w.grad, u.grad
=== loss_of_an_argument_with_history
w = nn.Parameter(torch.ones(3))
u = nn.Parameter(torch.ones(3))
def step(h):
    l = (h * u).sum()
    l.backward()
    return l
--- call
w.exp() * n
--- state
w.grad, u.grad
=== gradient_behind_a_history
w = nn.Parameter(torch.ones(3))
u = nn.Parameter(torch.ones(3))
def step(h):
    g, = torch.autograd.grad((h * w * u).sum(), [w], retain_graph=True)
    return g
--- call
w.exp() * n
=== gradient_of_a_tensor_with_history: compiles
w = nn.Parameter(torch.ones(3))
u = nn.Parameter(torch.ones(3))
def step(h):
    g, = torch.autograd.grad((h * w * u).sum(), [h], retain_graph=True)
    return g
--- call
w.exp() * n
=== backward_to_inputs_behind_a_history
w = nn.Parameter(torch.ones(3))
u = nn.Parameter(torch.ones(3))
def step(h):
    (h * w * u).sum().backward(inputs=[w])
    return h * 1
--- call
w.exp() * n
--- state
w.grad, u.grad
=== backward_beside_a_history: compiles
w = nn.Parameter(torch.ones(3))
u = nn.Parameter(torch.ones(3))
def step(h, x):
    (x * w).sum().backward()
    return h * u
--- call
w.exp() * n, torch.ones(3)
--- change 2 4
last.sum().backward()
--- state
w.grad, u.grad
=== step_of_a_loss_from_outside
m = nn.Linear(3, 1)
o = torch.optim.SGD(m.parameters(), 0.1)
def step(l):
    o.zero_grad()
    l.backward()
    o.step()
    return l.detach()
--- call
m(torch.ones(3) * n).sum()
--- state
m
=== stale_graph_from_outside: raises
w = nn.Parameter(torch.ones(3))
u = nn.Parameter(torch.ones(3))
y = (w * u).sum()
def step(x, b):
    with torch.no_grad():
        w.add_(x)
    if b:
        y.backward()
    return w * 1
--- call
torch.ones(3), n == 3
--- state
w.grad, u.grad, w, w._version
=== argument_becomes_a_gradient
w = nn.Parameter(torch.ones(2))
def step(x):
    w.grad = x
    (w * x).sum().backward()
    return w.grad is x
--- call
X.append(torch.ones(2) * n) or X[-1]
--- change 0
X = []
--- state
w.grad, X
=== argument_assigned_as_a_gradient
w = nn.Parameter(torch.ones(2))
X = []
def step(x):
    w.grad = x
    return x * 1
--- call
X.append(torch.ones(2) * n) or X[-1]
--- change 3
X[-1].add_(5)
--- state
w.grad, X
=== frozen_in_turns: compiles
g = nn.Linear(2, 3)
d = nn.Linear(3, 1)
og = torch.optim.Adam(g.parameters(), 0.01)
od = torch.optim.Adam(d.parameters(), 0.02)
def step(x):
    z = torch.randn(4, 2)
    for p in d.parameters():
        p.requires_grad_(True)
    fake = g(z)
    ld = F.softplus(-d(x)).mean() + F.softplus(d(fake.detach())).mean()
    od.zero_grad()
    ld.backward()
    od.step()
    for p in d.parameters():
        p.requires_grad_(False)
    lg = F.softplus(-d(fake)).mean()
    og.zero_grad()
    lg.backward()
    og.step()
    return (ld, lg)
--- call
torch.ones(4, 3) * n
--- change 4
od.param_groups[0]['lr'] = 0.0
--- state
g, d, [p.requires_grad for p in d.parameters()], [p.grad for p in d.parameters()]
=== thawed_layer_by_layer
m = nn.ModuleList((nn.Linear(2, 2) for _ in range(3)))
o = torch.optim.SGD(m.parameters(), 0.1, momentum=0.9)
ep = 0
def step(x):
    global ep
    for i, l in enumerate(m):
        l.requires_grad_(i >= 2 - ep // 2)
    for l in m:
        x = l(x)
    o.zero_grad()
    x.sum().backward()
    o.step()
    ep += 1
    return x
--- call
torch.ones(1, 2)
--- state
m, o, [p.grad for p in m.parameters()], [p.requires_grad for p in m.parameters()]
=== leaf_for_a_while: compiles
w = nn.Parameter(torch.ones(3))
def step(x):
    w.requires_grad_(True)
    (w * x).sum().backward()
    w.requires_grad_(False)
    return w.grad * 1
--- change 3
w.grad = None
--- change 5
w.grad.zero_()
--- state
w.grad, w.requires_grad
=== leaf_from_now_on: compiles
w = torch.ones(3)
def step(x):
    w.requires_grad = True
    (w * x).sum().backward()
    return w.grad * 1
--- change 2 4
w.requires_grad_(False)
--- change 5
w.grad = None
--- state
w.grad, w.requires_grad
=== module_frozen_for_a_while: compiles
m = nn.Sequential(nn.Linear(3, 3), nn.ReLU(), nn.Linear(3, 1))
def step(x):
    m.requires_grad_(False)
    y = m(x.requires_grad_())
    y.sum().backward()
    m.requires_grad_(True)
    return x.grad
--- state
[p.grad for p in m.parameters()], [p.requires_grad for p in m.parameters()]
=== frozen_after_its_use: compiles
w = nn.Parameter(torch.ones(3))
u = nn.Parameter(torch.ones(3))
def step(x):
    y = (w * u * x).sum()
    w.requires_grad_(False)
    return y
--- change 2 4
last.backward()
w.requires_grad_(True)
--- state
w.grad, u.grad, w.requires_grad
=== view_whose_base_is_written_to_with_a_history
p = torch.ones(3, requires_grad=True)
w = torch.ones(3)
v = w.view(3)
def step(x): return x * v
--- change 2
w.mul_(p * 2)
--- change 4
w.mul_(p * 3)
=== view_whose_base_requires_a_gradient_later
w = torch.ones(3)
v = w.view(3)
def step(x): return x * v, v.is_leaf
--- change 2
w.requires_grad_()
=== view_that_must_not_be_used_any_more: raises
p = torch.ones(3, requires_grad=True)
w = torch.ones(3)
with torch.no_grad():
    v = w.view(3)
def step(x): return x * v if flag else x * v.shape[0]
flag = True
--- change 2
w.mul_(p * 2)
--- change 4
flag = False
=== versions_of_gradients_that_are_written_to: compiles
w = torch.ones(3, requires_grad=True)
v = torch.ones(3, requires_grad=True)
def step(x):
    w.grad = None
    (w * x + v).sum().backward()
    with torch.no_grad():
        w.grad.mul_(2)
        v.grad[0] += 1
    w.grad.clamp_(0, 1)
--- state
w.grad._version, v.grad._version
=== versions_of_what_data_and_statistics_write: compiles
m = nn.BatchNorm1d(3)
made = []
def step(x):
    w = x * 0.5
    w.data.copy_(x)
    made[:] = [w]
    return m(torch.stack([x, w]))
--- state
made[0]._version, m.running_mean._version, m.running_var._version, m.num_batches_tracked._version
=== view_met_after_its_base_that_was_written: compiles
base = torch.ones(3)
view = base[1:]
base.add_(1)
def step(x): return x + base, x[1:] * view
--- change 3
base.mul_(2)
--- state
base, view
=== view_met_after_its_base_that_came_to_require_gradients: compiles
base = torch.ones(3)
view = base.view(3)
def step(x): return x + base, x * view
--- change 2
base.add_(1); base.requires_grad_()
--- change 4
with torch.no_grad(): base.add_(1)
--- change 5
last[1].sum().backward()
--- state
base, view, view.requires_grad
=== view_met_after_its_base_that_has_a_history: raises
leaf = torch.ones(3, requires_grad=True)
def made():
    base = leaf * 1
    view = base[1:]
    base.mul_(2)
    return base, view
def step(base, view): return base * 2, view * 3
--- call
*made(),
--- change
if last is not None: (last[0].sum() + last[1].sum()).backward()
--- state
leaf
=== result_of_a_hidden_leaf_with_a_gradient:
def step(x):
    x = x.clone().requires_grad_()
    (x * 2).sum().backward()
    return x * 3, x.grad
--- change
if last: last[0].sum().backward()
=== result_of_a_hidden_leaf_whose_gradient_is_put_away:
kept = []
def step(x):
    p = nn.Parameter(x)
    p.grad = torch.ones(3)
    kept.append(p.grad)
    return p * 3
--- change
if last is not None: last.sum().backward()
--- state
kept
=== result_of_a_hidden_leaf_that_no_pass_reaches_again: compiles
def step(x):
    x = x.clone().requires_grad_()
    y = (x ** 2).exp()
    y.sum().backward()
    return y, x.grad
--- change 3
try: last[0].sum().backward()
except RuntimeError: pass
=== results_whose_history_led_to_a_hidden_leaf_and_is_freed: compiles
errors = []
def step(x):
    z = x.detach().clone().requires_grad_()
    h = (x.detach() + 1) * z
    p = (h * h.sigmoid()).sum()
    (g,) = torch.autograd.grad(p, z)
    z.requires_grad_(False)
    return h, p, g
--- change 3
for t in last[:2]:
    try: t.sum().backward()
    except RuntimeError as error: errors.append(str(error)[:50])
--- state
errors
=== result_of_a_hidden_leaf_whose_gradient_is_kept:
kept = []
def step(x):
    p = nn.Parameter(x)
    p.grad = torch.ones(3)
    kept.append(p.grad[1:])
    return p * 3
--- change
if last is not None: last.sum().backward()
--- state
kept
=== what_a_freed_result_does_not_lead_to: compiles
w, u = torch.ones(3, requires_grad=True), torch.ones(3, requires_grad=True)
found = []
def step(x):
    y, z = (w * x).sin(), w * u
    y.sum().backward()
    return y, z
--- change
for wanted in [w, u] if last is not None else []:
    try: found.append(torch.autograd.grad(last[0], [wanted], torch.ones(3), allow_unused=True))
    except RuntimeError as error: found.append(str(error)[:50])
--- state
found
=== view_taken_before_its_base_requires_grad:
def step(x):
    y = x[:1]
    x.requires_grad_()
    return y, y.requires_grad
=== views_taken_before_their_base_requires_grad:
def step(x):
    y = x.unbind()
    x.requires_grad_()
    return y
''')
