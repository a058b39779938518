"""Programs whose tensors share memory without being views, or get the memory of others."""

from __future__ import annotations

from .programs import read

PROGRAMS = read(r'''
=== data_assigned
w = nn.Parameter(torch.ones(3))
al = w.detach()
old = w.data
def step(x):
    w.data = x * 2
    return w + 1
--- change 3
with torch.no_grad():
    w[0] = 50.0
--- state
w, al, old, w._version
=== data_assigned_from_an_argument
w = nn.Parameter(torch.ones(3))
def step(x):
    w.data = x
    return w * 1
--- change 3
w.data[0] = 5.0
--- state
w
=== data_swapped
a = torch.ones(3)
b = torch.zeros(3)
def step(x):
    a.data, b.data = (b.data, a.data)
    a.add_(x)
    return (a * 1, b * 1)
--- state
a, b
=== module_converted_inside
m = nn.Linear(3, 3)
def step(x):
    m.double()
    return m(x.double())
--- state
m
=== parameters_from_a_vector
m = nn.Linear(3, 2)
v = nn.utils.parameters_to_vector(m.parameters())
al = m.weight.detach()
def step(x):
    nn.utils.vector_to_parameters(v * k, m.parameters())
    return m(x)
k = 1.0
--- change 3
k = 2.0
--- state
m, al
=== descent_by_data: compiles
m = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1))
def step(x):
    l = (m(x) - 1).pow(2).sum()
    m.zero_grad()
    l.backward()
    for p in m.parameters():
        p.data.add_(p.grad.data, alpha=-lr)
    return l
lr = 0.1
--- change 3
lr = 0.01
--- state
m, m[0].weight._version, [p.grad for p in m.parameters()]
=== clamped_by_data: compiles
m = nn.Linear(3, 2)
o = torch.optim.SGD(m.parameters(), 0.1)
def step(x):
    o.zero_grad()
    l = m(x).sum()
    l.backward()
    o.step()
    for p in m.parameters():
        p.data.clamp_(-c, c)
    return l
c = 0.1
--- change 3
c = 1.0
--- state
m
=== saved_before_a_write_by_data
w = nn.Parameter(torch.ones(3))
u = nn.Parameter(torch.ones(3))
def step(x):
    y = (w * u * x).sum()
    w.data.mul_(2)
    y.backward()
    return y
--- state
w.grad, u.grad, w
=== saved_by_a_result_before_a_write_by_data
w = nn.Parameter(torch.ones(3))
u = nn.Parameter(torch.ones(3))
def step(x):
    y = (w * u * x).sum()
    w.data.mul_(2)
    return y
--- change 2 4
last.backward()
--- state
w.grad, u.grad, w
=== saved_outside_before_a_write_by_data
w = nn.Parameter(torch.ones(3))
u = nn.Parameter(torch.ones(3))
y = (w * u).sum()
def step(x):
    w.data.add_(x)
    return w * 1
--- change 2
y.backward()
--- state
w.grad, u.grad, w, w._version
=== two_detached_of_one_that_is_gone: compiles
def step(x):
    y = x * 2
    a, b = (y.detach(), y.detach())
    del y
    a.add_(1)
    return (b * 1, a)
=== data_of_data: compiles
def step(x):
    y = x * 2
    a = y.data
    b = a.data
    c = y.detach()
    b.add_(1)
    c.mul_(2)
    return (y * 1, a * 1, b, c)
=== view_and_data: compiles
def step(x):
    y = x * 2
    v = y.view(3)
    d = y.data
    d.add_(5)
    return (v * 1, y * 1)
=== detached_then_transposed_in_place
def step(x):
    y = x.outer(x)
    d = y.detach()
    y.t_()
    y[0].mul_(2)
    y.add_(torch.arange(3.0))
    return (d * 1, y * 1)
=== written_by_views_of_data: compiles
def step(x):
    y = x * 2
    d = y.data
    d[0] = 9.0
    d.view(3)[1:].mul_(3)
    v = y.view(3)
    v[2] = -1.0
    return (y * 1, d * 1, v * 1)
=== detached_of_a_new_tensor: compiles
def step(x):
    z = torch.zeros(3)
    d = z.detach()
    z.add_(x)
    return (d * 1, z * 1)
=== data_of_a_new_tensor: compiles
def step(x):
    z = torch.zeros(3)
    d = z.data
    d.add_(x)
    return (z * 1, d * 1)
=== parameter_of_a_tensor
def step(x):
    z = torch.zeros(3)
    p = nn.Parameter(z, requires_grad=False)
    z.add_(x)
    y = x * 1
    q = nn.Parameter(y)
    y.mul_(3)
    return (p * 1, q * 1)
=== memory_in_another_dtype
def step(x):
    z = torch.zeros(3)
    i = z.view(torch.int32)
    z.add_(x)
    return (i * 1, z * 1)
=== array_of_a_tensor_that_is_written_to
def step(x):
    a = np.zeros(3, np.float32)
    t = torch.from_numpy(a)
    t.add_(x)
    return x * float(a.sum())
=== constants_of_the_same_numbers: compiles
class A: pass
a = A()
def step(x):
    a.m, a.v = torch.zeros(2), torch.zeros(2)
    z = torch.ones(4)
    return torch.full((2,), 3.0), torch.ones(2) + 2, z[:2], z, z.detach(), torch.ones(4), x
--- change
if n: a.m.add_(n)
last is None or last[2].add_(1)
--- state
a
=== one_value_written_where_a_mask_holds: compiles
w = torch.ones(2, 3, requires_grad=True)
def step(x):
    w.grad = None
    y = w * x
    y[y > n] = 0.5
    y[:, y[0] > 1] = torch.tensor(2.0)
    y[None, (x > 2).all(1)] = -1.0
    y.sum().backward()
    return y.detach(), w.grad
--- call
torch.arange(6.0).view(2, 3) + n
''')
