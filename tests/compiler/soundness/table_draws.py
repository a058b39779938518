"""Programs that draw from Python's and NumPy's generators."""

from __future__ import annotations

from .programs import read

PROGRAMS = read(r'''
=== draw_decides: compiles
def step(x):
    if random.random() < 0.5:
        return random.randrange(4)
    return x.argmax().item()
--- change 3
random.seed(3)
=== draw_scales: compiles
def step(x):
    return x * random.uniform(0, 1) + random.gauss(0, 1)
--- change 3
random.random()
=== draw_mixes
w = nn.Parameter(torch.ones(3))
o = torch.optim.SGD([w], 0.1)
def step(x):
    lam = np.random.beta(0.5, 0.5)
    p = torch.randperm(3)
    o.zero_grad()
    l = (w * (lam * x + (1 - lam) * x[p])).sum()
    l.backward()
    o.step()
    return (l, lam)
--- change 4
np.random.seed(1)
--- state
w
=== draws_of_generator_objects: compiles
r = random.Random(4)
g = np.random.default_rng(3)
s = np.random.RandomState(2)
def step(x):
    return (x * r.random() + g.random(), s.randint(5), g.normal())
--- change 3
r.seed(1)
g = np.random.default_rng(3)
--- state
r.getstate()[1][-1], str(g.bit_generator.state)
=== draws_unused: compiles
def step(x):
    random.random()
    np.random.rand()
    return x * 2
=== draws_in_a_loop
def step(x):
    for _ in range(3):
        if random.random() < 0.5:
            x = x * 2
        else:
            x = x + random.random()
    return x
=== draw_then_an_error: raises
st = []
def step(x):
    st.append(random.random())
    if x[0] > 3:
        raise ValueError(st[-1])
    st.append(random.random())
    return x * st[-1]
--- state
st
=== draw_then_a_number_decides
def step(x):
    k = random.random()
    if not torch.isfinite(x).all():
        return random.random()
    return x * k
--- call
torch.tensor([1., float('nan') if n in (2, 3) else 2.])
=== program_without_draws: compiles
def step(x, train):
    if train:
        x = x * random.random()
    return x + 1
--- call
torch.ones(2), n % 2 == 0
=== draws_of_two_functions: compiles
f = compiled(lambda x: x * random.random())
h = compiled(lambda x: x + random.random())
def step(x):
    return (f(x), random.random(), h(x))
=== drawn_index: compiles
X = torch.arange(20.0).view(10, 2)
def step(x):
    idx = np.random.permutation(10)[:4]
    return (X[idx] * x[0], len(idx))
--- change 3
np.random.seed(1)
=== drawn_sample: compiles
X = torch.arange(20.0)
m = nn.Linear(4, 1)
o = torch.optim.SGD(m.parameters(), 0.01)
def step(x):
    idx = random.sample(range(20), 4)
    o.zero_grad()
    l = m(X[idx]).sum()
    l.backward()
    o.step()
    return l
--- change 4
X.mul_(2)
--- state
m
=== drawn_array_returned
def step(x):
    a = np.random.randn(3)
    return (a, x * torch.from_numpy(a))
=== drawn_array_of_two_tensors: compiles
def step(x):
    a = np.random.rand(3)
    t = torch.from_numpy(a)
    u = torch.as_tensor(a)
    c = torch.tensor(a)
    t.mul_(2)
    return (u * 1, c * 1, t)
=== drawn_arrays_computed: compiles
def step(x):
    a = (0.5 - np.random.rand(3)) * 2 + np.random.randn(3)
    return torch.from_numpy(a.astype('float32')) + x
=== draws_decide_thrice: compiles
def step(x):
    if random.random() < 0.5:
        x = x.flip(0)
    if np.random.rand() < 0.5:
        x = -x
    s = random.randint(0, 1)
    return torch.roll(x, s, 0)
=== draws_of_a_derived_class
class R(random.Random):
    def random(s):
        return 0.25
r = R(1)
def step(x):
    return x * r.random() + r.uniform(1, 2)
=== draw_chooses: compiles
ops = [torch.sin, torch.cos, torch.neg]
def step(x):
    return random.choice(ops)(x) * random.choice((1.0, 2.0))
--- change 4
ops.append(torch.exp)
=== own_generators_draw_decides: compiles
g = torch.Generator()
g.manual_seed(3)
def step(x):
    x = x * torch.rand(3, generator=g)
    return x + torch.rand(3) if x.sum() > 6 else x * torch.randint(1, 4, (3,), generator=g)
--- state
g.get_state()
=== own_generators_draw_of_constants
g = torch.Generator()
g.manual_seed(3)
def step(x):
    x = x + torch.multinomial(torch.ones(4), 3, generator=g)
    return x + torch.normal(torch.zeros(3), 1.0, generator=g)
--- state
g.get_state()
=== multinomial_is_no_view: compiles
def step(x): return torch.multinomial(x, 2), torch.multinomial(x, 3)
--- state
[t._is_view() for t in last or ()]
--- change 3
last[0].resize_(5).zero_()
=== drawn_where_what_is_written_shares_memory
w = torch.arange(3.0, requires_grad=True)
def step(x):
    with torch.no_grad(): w[1:] = 0.5
    return x + random.random() + float(np.random.rand())
--- call
w.detach()
--- state
w
''')
