"""Programs with wrappers of ours around things of the user's that change between calls."""

from __future__ import annotations

from .programs import read

PROGRAMS = read(r'''
=== vmap_outside: compiles
G = 2.0
def f(x): return x * G
v = torch.vmap(f)
def step(x):
    return v(x)
--- change 3
G = 3.0
=== vmap_object
class C:
    k = 2.0
    def __call__(self, x): return x * self.k
c = C()
v = torch.vmap(c)
def step(x):
    return v(x)
--- change 3
c.k = 5.0
=== vmap_in_dims_list
def f(x, y): return x * y
dims = [0, None]
v = torch.vmap(f, in_dims=tuple(dims))
def step(x):
    return v(x, torch.ones(3))
=== grad_outside: compiles
G = 2.0
def f(x): return (x * x * G).sum()
v = torch.func.grad(f)
def step(x):
    return v(x)
--- change 3
G = 3.0
=== grad_code_replaced
def f(x): return (x * x).sum()
def g(x): return (x * x * x).sum()
v = torch.func.grad(f)
def step(x):
    return v(x)
--- change 3
f.__code__ = g.__code__
=== jacrev_counter
d = {'n': 0}
def f(x):
    d['n'] += 1
    return x * x
v = torch.func.jacrev(f)
def step(x):
    return v(x)
--- state
dict(d)
=== functional_call_state: compiles
m = nn.Linear(3, 3)
with torch.no_grad():
    for p in m.parameters(): p.fill_(0.5)
P = {k: v.detach() * 2 for k, v in m.named_parameters()}
def step(x):
    return torch.func.functional_call(m, P, (x,))
--- change 3
P['weight'] = torch.ones(3, 3)
--- change 5
m.bias = None
=== no_grad_decorated: compiles
G = 2.0
@torch.no_grad()
def f(x): return x * G
w = torch.ones(3, requires_grad=True)
def step(x):
    return f(w * x) + w
--- change 3
G = 3.0
=== distribution_outside
d = torch.distributions.Normal(torch.zeros(3), torch.ones(3))
def step(x):
    return d.log_prob(x)
--- change 3
d.loc = torch.ones(3)
--- change 5
d.scale.fill_(3.0)
=== distribution_kl: compiles
a = torch.distributions.Normal(torch.zeros(3), torch.ones(3))
b = torch.distributions.Normal(torch.ones(3), torch.ones(3))
def step(x):
    return torch.distributions.kl_divergence(a, b) + x
--- change 3
a.loc = torch.ones(3)
=== parametrization
pz = torch.nn.utils.parametrize
class S(nn.Module):
    k = 2.0
    def forward(self, w): return w * self.k
m = nn.Linear(3, 3)
with torch.no_grad():
    for p in m.parameters(): p.fill_(0.5)
s = S()
pz.register_parametrization(m, 'weight', s)
def step(x):
    return m(x)
--- change 3
s.k = 5.0
--- change 5
pz.remove_parametrizations(m, 'weight')
=== later_weight_norm
m = nn.utils.parametrizations.weight_norm(nn.Linear(3, 2))
with torch.no_grad():
    for p in m.parameters(): p.fill_(0.5)
def step(x):
    return m(x)
--- change 3
with torch.no_grad():
    m.parametrizations.weight.original0.fill_(2.0)
=== spectral_norm_train
torch.manual_seed(0)
m = nn.utils.parametrizations.spectral_norm(nn.Linear(3, 2))
with torch.no_grad():
    for p in m.parameters(): p.fill_(0.5)
def step(x):
    return m(x)
--- change 3
m.eval()
--- state
m.parametrizations.weight[0]._u if hasattr(m.parametrizations.weight[0], '_u') else 0
=== param_shared: compiles
a, b = nn.Linear(3, 3), nn.Linear(3, 3)
with torch.no_grad():
    for p in [*a.parameters(), *b.parameters()]: p.fill_(0.5)
def step(x):
    return b(a(x))
--- change 3
b.weight = a.weight
with torch.no_grad(): a.weight.fill_(2.0)
=== param_frozen: compiles
m = nn.Linear(3, 3)
with torch.no_grad():
    for p in m.parameters(): p.fill_(0.5)
def step(x):
    m.zero_grad()
    y = m(x).sum()
    y.backward()
    return y, m.weight.grad
--- change 3
m.weight.requires_grad_(False)
--- change 5
m.weight.requires_grad_(True)
=== param_data_set: compiles
m = nn.Linear(3, 3)
with torch.no_grad():
    for p in m.parameters(): p.fill_(0.5)
def step(x):
    return m(x)
--- change 3
m.weight.data = torch.ones(3, 3)
--- change 5
m.weight.data = torch.ones(3, 3)[:, [2, 1, 0]].t()
=== param_double: compiles
m = nn.Linear(3, 3)
with torch.no_grad():
    for p in m.parameters(): p.fill_(0.5)
def step(x):
    return m(x.to(m.weight.dtype))
--- change 3
m.double()
--- change 5
m.float()
=== param_modified_before_backward:
w = torch.ones(3, requires_grad=True)
def step(x):
    return (w * w * x).sum()
--- change 3
err = None
with torch.no_grad(): w.add_(1)
try:
    last.backward()
except RuntimeError as e:
    err = 'modified' in str(e)
--- state
w.grad, globals().get('err')
=== grad_mode_outside: compiles
w = torch.ones(3, requires_grad=True)
def step(x):
    return w * x, torch.is_grad_enabled()
--- change 3
torch.set_grad_enabled(False)
--- change 5
torch.set_grad_enabled(True)
--- after
torch.set_grad_enabled(True)
=== later_tensor_subclass
class T(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        log.append(func.__name__)
        return super().__torch_function__(func, types, args, kwargs or {})
log = []
t = torch.ones(3).as_subclass(T)
def step(x):
    return x + t
--- state
len(log)
=== tensor_subclass_inside
class T(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        log.append(func.__name__)
        return super().__torch_function__(func, types, args, kwargs or {})
log = []
def step(x):
    t = x.as_subclass(T)
    return (t + 1).exp(), torch.sin(t)
--- state
len(log)
=== tensor_subclass_method
class T(torch.Tensor):
    def twice(self): return self * K
K = 2
def step(x):
    return x.as_subclass(T).twice()
--- change 3
K = 3
=== tensor_patched_method: compiles
def twice(self): return self * K
torch.Tensor.twice = twice
K = 2
def step(x):
    return x.twice()
--- change 3
K = 3
--- change 5
torch.Tensor.twice = lambda self: self * 7
--- after
del torch.Tensor.twice
=== tensor_patched_add
old = torch.Tensor.add
d = {'n': 0}
def step(x):
    return x.add(1) + 1
--- change 3
def add(self, *a, **k):
    d['n'] += 1
    return old(self, *a, **k) * 2
torch.Tensor.add = add
--- change 5
torch.Tensor.add = old
--- state
dict(d)
--- after
torch.Tensor.add = old
=== tensor_patched_dunder
old = torch.Tensor.__add__
d = {'n': 0}
def step(x):
    return x + 1
--- change 3
def add(self, o):
    d['n'] += 1
    return old(self, o) * 2
torch.Tensor.__add__ = add
--- change 5
torch.Tensor.__add__ = old
--- state
dict(d)
--- after
torch.Tensor.__add__ = old
=== functional_patched: compiles
old = F.relu
def step(x):
    return F.relu(x - 2), nn.ReLU()(x - 2) if False else 0
--- change 3
F.relu = lambda x: x * 7
--- change 5
F.relu = old
--- after
F.relu = old
=== functional_patched_module: compiles
old = F.linear
m = nn.Linear(3, 3)
with torch.no_grad():
    for p in m.parameters(): p.fill_(0.5)
def step(x):
    return m(x)
--- change 3
F.linear = lambda x, w, b=None: x * 7
--- change 5
F.linear = old
--- after
F.linear = old
=== functional_patched_inside
old = F.softmax
d = {'n': 0}
def step(x):
    return F.gumbel_softmax(x) if False else F.scaled_dot_product_attention(x, x, x)
--- call
torch.arange(12.0).view(1, 1, 4, 3)
--- change 3
def f(*a, **k):
    d['n'] += 1
    return old(*a, **k)
F.softmax = f
--- state
dict(d)
--- after
F.softmax = old
=== functional_patched_inside2
old = F.log_softmax
d = {'n': 0}
def f(*a, **k):
    d['n'] += 1
    return old(*a, **k) * 2
F.log_softmax = f
def step(x):
    return F.cross_entropy(x, torch.tensor([0, 1]))
--- call
torch.arange(6.0).view(2, 3)
--- state
dict(d)
--- after
F.log_softmax = old
=== mha_patched
old = F.scaled_dot_product_attention
d = {'n': 0}
m = nn.MultiheadAttention(4, 2, batch_first=True)
with torch.no_grad():
    for p in m.parameters(): p.fill_(0.1)
def step(x):
    return m(x, x, x, need_weights=False)[0]
--- call
torch.arange(12.0).view(1, 3, 4) + n
--- change 3
def f(*a, **k):
    d['n'] += 1
    return old(*a, **k) * 2
F.scaled_dot_product_attention = f
--- state
dict(d)
--- after
F.scaled_dot_product_attention = old
=== compiled_function_in_a_wrapper_that_has_its_attributes: compiles
@compiled
def inner(x): return x * 2
@functools.wraps(inner)
def step(x): return inner(x) * 10
=== compiled_function_in_transforms_that_have_its_attributes:
inner = compiled(lambda x: (x * x).sum())
each, slope = torch.func.vmap(inner), torch.func.grad(inner)
def step(x): return each(torch.stack([x, x + 1])), slope(x)
''')
