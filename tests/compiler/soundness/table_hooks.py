"""Programs of modules: hooks, state dicts, parametrizations, and modules with a state of their own."""

from __future__ import annotations

from .programs import read

PROGRAMS = read('''
=== forward_hook_added:
m = nn.Linear(3, 2)
def step(x): return m(x)
--- change 3
h = m.register_forward_hook(lambda m, a, y: y * 2)
--- change 5
h.remove()
=== forward_hook_logs:
log = []
m = nn.Linear(3, 2)
m.register_forward_hook(lambda m, a, y: log.append(tuple(y.shape)))
def step(x): return m(x)
--- state
log
=== forward_hook_reads_state:
k = 2.0
m = nn.Linear(3, 2)
m.register_forward_hook(lambda m, a, y: y * k)
def step(x): return m(x)
--- change 3
k = 3.0
=== forward_pre_hook_added:
m = nn.Sequential(nn.Linear(3, 3), nn.Linear(3, 2))
def step(x): return m(x)
--- thread 3
m[1].register_forward_pre_hook(lambda m, a: (a[0] * 2,))
=== forward_hook_with_kwargs:
m = nn.Linear(3, 2)
def step(x): return m(input=x)
--- change 3
m.register_forward_hook(lambda m, a, kw, y: y * (1 + len(kw)), with_kwargs=True)
=== backward_hook_added:
m = nn.Linear(3, 2)
def step(x):
    y = m(x).sum()
    y.backward()
    return y
--- change 3
m.register_full_backward_hook(lambda m, gi, go: print("hook", go[0].shape))
--- state
m.weight.grad
=== global_forward_hook:
m = nn.Linear(3, 2)
def step(x): return m(x)
--- change 3
h = torch.nn.modules.module.register_module_forward_hook(lambda m, a, y: y * 2)
--- after
h.remove()
=== global_forward_pre_hook:
m = nn.Linear(3, 2)
def step(x): return m(x)
--- change 3
h = torch.nn.modules.module.register_module_forward_pre_hook(lambda m, a: (a[0] * 2,))
--- after
h.remove()
=== global_backward_hook:
m = nn.Linear(3, 2)
def step(x):
    y = m(x).sum()
    y.backward()
    return y
--- change 3
h = torch.nn.modules.module.register_module_full_backward_hook(lambda m, gi, go: print("hook"))
--- after
h.remove()
=== state_dict_loaded: compiles
m = nn.Linear(3, 2)
new = {k: torch.ones_like(v) for k, v in m.state_dict().items()}
def step(x): return m(x)
--- change 3
m.load_state_dict(new)
=== state_dict_assigned: compiles
m = nn.Linear(3, 2)
new = {k: torch.ones_like(v) for k, v in m.state_dict().items()}
def step(x): return m(x)
--- change 3
m.load_state_dict(new, assign=True)
--- state
m.weight is new["weight"]
=== state_dict_inside: compiles
m = nn.Linear(3, 2)
def step(x): return m.state_dict(), m(x)
=== parameters_summed: compiles
m = nn.Sequential(nn.Linear(3, 2), nn.Linear(2, 2))
def step(x): return x * sum(p.sum() for p in m.parameters())
--- change 3
m.append(nn.Linear(2, 1))
=== named_modules_walked: compiles
m = nn.Sequential(nn.ReLU(), nn.Tanh())
def step(x):
    for name, child in m.named_children():
        if name == "1":
            x = child(x)
    return x
--- change 3
m[1] = nn.Sigmoid()
=== weight_norm:
m = nn.utils.parametrizations.weight_norm(nn.Linear(3, 2))
def step(x): return m(x)
--- change 3
with torch.no_grad(): m.parametrizations.weight.original0.mul_(2)
=== spectral_norm:
m = nn.utils.parametrizations.spectral_norm(nn.Linear(3, 2))
def step(x): return m(x)
--- change 4
m.eval()
--- state
m
=== parametrization_added:
class P(nn.Module):
    def forward(self, w): return w * 2
m = nn.Linear(3, 2)
def step(x): return m(x)
--- change 3
nn.utils.parametrize.register_parametrization(m, "weight", P())
--- change 5
nn.utils.parametrize.remove_parametrizations(m, "weight")
=== parametrization_reads_state:
class P(nn.Module):
    k = 2.0
    def forward(self, w): return w * self.k
m = nn.Linear(3, 2)
p = P()
nn.utils.parametrize.register_parametrization(m, "weight", p)
def step(x): return m(x)
--- change 3
p.k = 3.0
=== old_weight_norm:
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    m = nn.utils.weight_norm(nn.Linear(3, 2))
def step(x): return m(x)
--- change 3
with torch.no_grad(): m.weight_g.mul_(2)
=== functional_call_inside: compiles
m = nn.Linear(3, 2)
new = {"weight": torch.ones(2, 3)}
def step(x): return torch.func.functional_call(m, new, (x,))
--- change 3
new["weight"] = torch.zeros(2, 3)
=== embedding_padding: compiles
m = nn.Embedding(4, 3)
def step(x): return m(x)
--- call
torch.tensor([n % 4, 1])
--- change 3
with torch.no_grad(): m.weight[1] = 0
=== embedding_max_norm:
m = nn.Embedding(4, 3, max_norm=0.5)
def step(x): return m(x)
--- call
torch.tensor([n % 4, 1])
--- state
m.weight
=== recurrent_state_kept:
m = nn.GRUCell(3, 3)
h = torch.zeros(3)
def step(x):
    global h
    h = m(x, h).detach()
    return h
--- state
h
=== lazy_linear:
m = nn.LazyLinear(2)
def step(x): return m(x)
--- state
type(m).__name__, m
=== gradient_checkpoint:
m = nn.Linear(3, 3)
def step(x):
    y = torch.utils.checkpoint.checkpoint(m, x, use_reentrant=False).sum()
    y.backward()
    return y
--- change 3
m.weight.grad = None
--- state
m.weight.grad
=== deep_copied: compiles
m = nn.Linear(3, 2)
def step(x): return m(x)
--- change 3
m = copy.deepcopy(m)
with torch.no_grad(): m.weight.zero_()
=== apply_inside:
m = nn.Sequential(nn.Linear(3, 3), nn.Linear(3, 2))
def halve(c):
    if isinstance(c, nn.Linear):
        with torch.no_grad():
            c.bias.mul_(0.5)
def step(x):
    m.apply(halve)
    return m(x)
--- state
m
=== extra_state_and_repr:
class M(nn.Module):
    k = 1
    def extra_repr(self): return f"k={self.k}"
m = M()
def step(x): return x * len(repr(m))
--- change 3
m.k = 1000
=== training_changed_in_call:
m = nn.Dropout(0.5)
def step(x):
    m.eval()
    y = m(x)
    m.train()
    return y, m(x)
--- state
m.training
=== hook_on_a_leaf_that_grad_is_asked_of: compiles
w = torch.ones(3, requires_grad=True)
def step(x): return torch.autograd.grad((w * x).sum(), w)[0]
--- change 2
handle = w.register_hook(lambda g: g + 1)
=== hook_on_a_leaf_with_one_for_later_that_grad_is_asked_of: compiles
w = torch.ones(3, requires_grad=True)
def step(x): return torch.autograd.grad((w * x).sum(), w)[0]
--- change 1
later = w.register_post_accumulate_grad_hook(lambda p: None)
--- change 3
handle = w.register_hook(lambda g: g + 1)
=== hook_on_a_leaf_whose_gradient_comes_and_goes: compiles
w = torch.ones(3, requires_grad=True)
def step(x):
    if w.grad is not None:
        w.grad.zero_()
    (w * x).sum().backward()
    with torch.no_grad():
        w.sub_(0.1 * w.grad)
    w.grad = None
    return w.detach() * 1
--- change 2
handle = w.register_hook(lambda g: g + 1)
=== unpack_hooks_run_once_inside: compiles
seen = [0]
w = torch.tensor([1.0, -1.0, 2.0], requires_grad=True)
def unpack(t):
    seen[0] += 1
    return t
def step(x):
    with torch.autograd.graph.saved_tensors_hooks(lambda t: t, unpack):
        y = (x * w).sin() * w
    y.sum().backward()
    return y.detach()
--- state
seen, w.grad
=== leaf_hooks_change_gradients: compiles
w, v = (torch.ones(3, requires_grad=True) for _ in range(2))
k = 2.0
w.register_hook(lambda g: g * k)
w.register_hook(lambda g: g.clamp(max=9.0))
def step(x):
    w.grad = None
    (w * x + v * x).sum().backward()
    return w.grad * 1
--- change 2
k = 3.0
--- change 3
h = v.register_hook(lambda g: -g)
--- change 5
h.remove()
--- state
w.grad, v.grad
=== leaf_hook_sees_each_call: compiles
log, kept = [], []
w = torch.ones(3, requires_grad=True)
def note(g):
    log.append(len(log))
    kept[:] = [g]
w.register_hook(note)
def step(x):
    (w * x).sum().backward()
    return w.grad * 1
--- state
log, kept, w.grad
=== optimizer_in_backward: compiles
m = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1))
o = {p: torch.optim.Adam([p], lr=0.1) for p in m.parameters()}
def update(p):
    o[p].step()
    o[p].zero_grad()
for p in m.parameters(): p.register_post_accumulate_grad_hook(update)
def step(x):
    y = m(x).sum()
    y.backward()
    return y
--- change 4
for opt in o.values(): opt.param_groups[0]["lr"] = 0.01
--- state
m, [p.grad for p in m.parameters()]
=== leaf_hooks_with_backward_outside: compiles
w = torch.ones(3, requires_grad=True)
w.register_hook(lambda g: g * 2)
def add(p): p.grad.add_(1)
w.register_post_accumulate_grad_hook(add)
def step(x):
    (w * x).sum().backward()
    return (w * w * x).sum()
--- change 2 4
last.backward()
--- state
w.grad
=== leaf_hook_on_a_leaf_that_is_given: compiles
w = torch.ones(3, requires_grad=True)
w.register_hook(lambda g: g * 2)
v = torch.ones(3, requires_grad=True)
def step(x):
    y = (x * x).sum()
    y.backward()
    return y
--- call
(w, v)[n % 2]
--- state
w.grad, v.grad
=== leaf_hook_of_python_itself
log = []
w = torch.ones(3, requires_grad=True)
w.register_hook(log.append)
def step(x):
    (w * x).sum().backward()
    return w.grad * 1
--- state
log, w.grad
=== leaf_hook_removes_itself
w = torch.ones(3, requires_grad=True)
def once(g):
    h.remove()
    return g * 5
h = w.register_hook(once)
def step(x):
    w.grad = None
    (w * x).sum().backward()
    return w.grad * 1
--- state
w.grad
=== leaf_hook_added_inside
w = torch.ones(3, requires_grad=True)
w.register_hook(lambda g: g * 2)
def step(x):
    w.grad = None
    h = w.register_hook(lambda g: g + 1)
    (w * x).sum().backward()
    h.remove()
    return w.grad * 1
--- state
w.grad
=== leaf_hook_raises: raises
w = torch.ones(3, requires_grad=True)
def check(g):
    if g.sum() > 12: raise ValueError("too large")
w.register_hook(check)
def step(x):
    w.grad = None
    (w * x).sum().backward()
    return w.grad * 1
--- state
w.grad
=== hooks_of_leaf_all_removed: compiles
w = torch.ones(3, requires_grad=True)
with w.register_hook(lambda g: g * 2): pass
def step(x):
    w.grad = None
    (w * x).sum().backward()
    return w.grad * 1
--- change 2 4
h = w.register_hook(lambda g: g * 3)
h.remove()
--- change 5
(w * 2).sum().backward()
--- state
w.grad
''')
