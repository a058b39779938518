"""Programs whose tensors share memory: without being views, with what is read elsewhere, as results."""

from __future__ import annotations

from .programs import read

PROGRAMS = read(r'''
=== data_assigned: compiles
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
=== data_averaged_behind_backward: compiles
m = nn.Linear(3, 2)
t = copy.deepcopy(m)
al = t.weight.detach()
def step(x):
    l = ((m(x) - t(x).detach()) ** 2).sum() + m(x).sum()
    l.backward()
    for p, q in zip(m.parameters(), t.parameters()):
        p.data -= 0.1 * p.grad.data
        p.grad.zero_()
        old, new = q.data, p.data
        q.data = old * 0.9 + 0.1 * new
    return l
--- change 3
with torch.no_grad():
    t.weight[0] = 5.0
--- change 4
al.add_(1)
--- state
m, t, al, t.weight._version
=== data_assigned_before_backward: compiles
w, v = nn.Parameter(torch.ones(3)), nn.Parameter(torch.arange(3.0))
def step(x):
    l = (torch.tanh(w * v) * x).sum()
    w.data = w.data * 0.5 + 1
    l.backward()
    return (w * v).sum()
--- change 3
last.backward()
--- state
w, v, w.grad, v.grad
=== data_assigned_and_kept: compiles
w, kept = nn.Parameter(torch.ones(3)), []
def step(x):
    n = w.data * 0.5 + x
    w.data = n
    kept[:] = [n]
    return n.sum()
--- change 3
kept[0].add_(1)
--- state
w, kept
=== data_assigned_and_written
w, u = nn.Parameter(torch.ones(3)), torch.ones(3)
def step(x):
    n = w.data * 0.5 + x
    w.data = n
    n.add_(1)
    u.mul_(2)
    u.data = u.data + 1
    return n.sum()
--- state
w, u
=== data_of_a_new_tensor_assigned: compiles
w = nn.Parameter(torch.ones(3))
def step(x):
    d = (x * 0).requires_grad_()
    first = (torch.tanh(x + d) * d.exp()).sum()
    d.data = (d + 0.5 * x).clamp(0, 3)
    first.backward()
    for _ in range(2):
        (torch.tanh(x + d) * w * d).sum().backward()
        d.data = d.data - 0.1 * d.grad.sign()
        d.grad.zero_()
    d.data.clamp_(-1, 1)
    return d.detach(), d.sum()
--- change 3
last[0].add_(1)
--- state
w.grad
=== data_of_a_new_tensor_assigned_and_written: compiles
def step(x):
    d, n = x * 1, x * 2
    d.data = n
    n.add_(1)
    d.mul_(2)
    return d, n, d.detach(), d.exp()
--- change 3
last[0].add_(1)
--- state
last
=== data_of_a_new_tensor_assigned_and_returned: compiles
def step(x):
    d, n = x * 1, (x * 2).requires_grad_()
    d.data = n
    return d, n, d.data
--- change 3
last[0].add_(1)
--- state
last
=== data_of_a_new_tensor_assigned_and_old_ones_kept
def step(x):
    d, e = x * 1, (x * 2)
    old, part = d.detach(), e[1:]
    d.data = x * 3
    e.data = x * 4
    return d, old, e, part
--- change 3
last[0].add_(1)
last[1].add_(1)
--- state
last
=== data_assigned_and_old_ones_returned
w = nn.Parameter(torch.ones(3))
def step(x):
    old = w.data
    w.data = old * 0.5 + x
    return old, w.detach()
--- change 3
last[0].add_(1)
last[1].add_(1)
--- state
last, w
=== data_assigned_a_view
w = nn.Parameter(torch.ones(3))
def step(x):
    v = w[:2]
    w.data = w.data * 0.5 + x
    return v, w[1:], w.data
--- change 3
last[1].data.add_(1)
--- state
w
=== queue_made_a_tensor: compiles
q = collections.deque([1.0, 2.0])
def step(x):
    r = collections.deque()
    for k in reversed(q): r.appendleft(k * 2)
    return torch.tensor(r) + x[:2], torch.tensor(q)
--- change 3
q.append(3.0)
q.popleft()
=== queue_of_tensors: compiles
import collections
q = collections.deque([torch.ones(3), torch.arange(3.0)], maxlen=2)
def step(x):
    q.append(q[0] * 0.5 + x)
    q[0].mul_(0.9)
    return torch.stack(list(q)).sum(0), q[1]
--- change 3
q[0].add_(1)
--- change 5
q.append(q[0])
--- state
q
=== queue_that_grows: compiles
import collections
q = collections.deque(maxlen=3)
def step(x):
    q.appendleft(x * 2)
    return sum((k + 1) * t.sum() for k, t in enumerate(q))
--- change 3
q.pop()
--- state
q
=== queue_of_one_tensor_twice: compiles
import collections
a = torch.ones(3)
q = collections.deque([a, a, torch.arange(3.0)], maxlen=3)
def step(x):
    q.append(q[0] * 0.5 + x)
    q[0].add_(1)
    return q[0] + q[1]
--- change 3
q[0] = q[1]
--- state
q, a
=== list_as_a_queue: compiles
q, gone = [torch.ones(3), torch.arange(3.0)], [None]
def step(x):
    q.append(q[-1] * 0.5 + x)
    gone[0] = q.pop(0)
    return q[0] + q[1], gone[0]
--- change 3
q[0].add_(1)
--- change 4
q[1] = torch.ones(3, dtype=torch.float64)
--- change 6
q.append(torch.ones(3))
--- state
q, gone
=== list_turned_round: compiles
q = [torch.ones(3), torch.arange(3.0), torch.zeros(3)]
def step(x):
    q[:] = [q[2], q[0], q[1] + x]
    q[0].add_(1)
    return q[0] * 2, q[2].sum()
--- change 3
q.reverse()
--- change 4
q[0] = q[1]
--- state
q
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
=== detached_of_what_is_gone_shows_what_is_given: compiles
old = ()
def step(x):
    x.mul_(2)
    a, b, c = x.detach().detach(), x.view(3, 1).detach(), x.data.detach()
    return a, b, b[1:].detach(), c, x.view(3, 1).detach().view(3)[1:].detach()
--- change 2
old = last
old[1][0].add_(1)
--- state
old, [t._version for t in old]
=== array_of_what_is_given_as_a_tensor_again: compiles
old = ()
def step(x):
    x.mul_(2)
    y = x.detach()
    return torch.from_numpy(y.numpy()), y
=== detached_of_a_result_through_what_is_gone: compiles
old = ()
def step(x):
    y = x * 2
    a, b = y.detach().detach(), y[1:].detach()
    return y, a, b
--- change 2
old = last
old[1].add_(1)
--- state
old, [t._version for t in old]
=== detached_of_data_that_is_gone
old = ()
def step(x):
    a = x.data
    a.add_(1)
    return a.detach(), a.detach()
--- change 2
old = last
old[1].add_(1)
--- state
old, [t._version for t in old]
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
=== gradient_is_a_view_of_what_is_read
a = nn.Parameter(torch.ones(3))
buf = torch.zeros(6)
def step(x):
    (a * x).sum().backward()
    return buf.sum()
--- change 2
a.grad = buf[1:4]
--- change 4
a.grad = buf[::2]
--- state
a.grad, buf
=== argument_written_lies_in_a_global
B = torch.arange(8.)
def step(x):
    x.add_(1)
    return B.sum() + x
--- call
torch.ones(3) if n < 3 else B[n - 3:n]
--- state
B
=== place_written_lies_in_a_global
B = torch.arange(8.)
class O: pass
o = O(); o.t = torch.ones(3)
def step(x):
    o.t.add_(1)
    o.t = o.t * 2
    return B.sum() + o.t
--- change 3
o.t = B[2:5]
--- state
B, o.t
=== argument_read_lies_in_a_written_global
B = torch.arange(8.)
def step(x):
    B.add_(1)
    return x.sum() * 2
--- call
torch.ones(3) if n < 3 else B[n - 3:n]
--- state
B
=== retained_gradient_lies_in_a_global
B = torch.zeros(8)
a = nn.Parameter(torch.ones(2))
opt = torch.optim.SGD([a], lr=0.1)
def step(x):
    opt.zero_grad(set_to_none=False)
    (a * B[:2]).sum().backward()
    opt.step()
    return B.sum()
--- change 2
a.grad = B[0:2]
--- change 3
B.add_(1)
--- state
B, a, a.grad
=== gradient_of_a_result_looked_for
w = nn.Parameter(torch.ones(4))
def step(x):
    return x * (1 if x.grad is None else 2)
--- call
w * 2 if n < 3 else torch.ones(4)
=== gradient_of_a_result_cleared
w = nn.Parameter(torch.ones(4))
def step(x):
    x.grad = None
    return x * 2
--- call
w * 2 if n < 3 else torch.ones(4)
=== result_of_cond_is_an_argument
def step(x):
    y = torch.cond(x.sum() > 6, lambda x: x, lambda x: x * 2, (x,))
    y.add_(1)
    return y, x
--- call
torch.arange(3.) + n
=== row_of_what_the_call_makes: compiles
def step(x):
    logp = x.log_softmax(0)
    a = logp.argmax()
    return a, logp[a], logp[a].exp()
=== rows_by_an_integer_tensor: compiles
w = torch.arange(12.).reshape(4, 3)
def step(i):
    return w[i].sum(), w[i, 1:].sum(), w[:, i % 3].sum(), w[None, i].shape
--- call
torch.tensor(n % 4)
--- change 3
w[0] = 100
=== row_read_before_a_write: compiles
w = torch.arange(12.).reshape(4, 3)
def step(i):
    r = w[i]
    w.add_(1)
    return r * 1
--- call
torch.tensor(n % 4)
--- state
w
=== row_kept
w = torch.arange(12.).reshape(4, 3); L = []
def step(i):
    L.append(w[i])
    return len(L)
--- call
torch.tensor(n % 2)
--- change 4
w.zero_()
--- state
L
=== view_of_a_row_returned
w = torch.arange(12.).reshape(4, 3)
def step(i):
    return w[i][1:].detach()
--- call
torch.tensor(n % 2)
--- change 4
w.zero_()
=== row_of_a_parameter_trained: compiles
w = nn.Parameter(torch.arange(12.).reshape(4, 3))
opt = torch.optim.SGD([w], lr=0.1)
def step(i):
    opt.zero_grad()
    l = w[i].square().sum()
    l.backward()
    opt.step()
    return l.detach()
--- call
torch.tensor(n % 4)
--- state
w
=== row_out_of_range: raises
w = torch.arange(12.).reshape(4, 3)
def step(i): return w[i] * 1
--- call
torch.tensor(n)
=== tensor_and_a_row_of_it_returned: compiles
def step(x, i):
    y = x * 2
    r = y[i]
    return y, r
--- call
torch.arange(6.).reshape(3, 2), torch.tensor(n % 3)
--- change 3
last[1].zero_()
=== result_of_cond_is_a_view_of_a_global
w = torch.arange(4.)
def step(x):
    y = torch.cond(x.sum() > 6, lambda x: w[:3], lambda x: x * 2, (x,))
    y.add_(1)
    return y * 1, w.sum()
--- call
torch.arange(3.) + n
--- state
w
=== result_of_cond_is_only_read: compiles
def step(x):
    y = torch.cond(x.sum() > 6, lambda x: x, lambda x: x * 2, (x,))
    return y + 1
--- call
torch.arange(3.) + n
=== contiguous_of_a_view_is_itself
def step(b):
    y = b.reshape(6, 4)
    z = y.contiguous()
    z.add_(1)
    return y, z, z is y
--- call
torch.arange(24.).reshape(2, 3, 4) if n % 2 else torch.arange(24.).reshape(3, 2, 4).transpose(0, 1)
=== contiguous_of_a_product_is_itself
def step(a, b):
    y = torch.einsum('abc,abd->acd', a, b)
    z = y.contiguous()
    z.add_(1)
    return y, z, z is y
--- call
torch.ones(2, 3, 4), torch.ones(2, 3, 4)
=== view_returned_and_kept: compiles
w = torch.arange(6.)
L = []
def step(x):
    v = w[1:4]
    d = x.detach()
    L.append(v)
    return v, v, v[1:], d, d
--- state
L
=== a_view_that_two_attributes_get: compiles
class O: pass
o = O(); w = nn.Parameter(torch.arange(6.))
def step(x):
    o.a = o.b = w.view(2, 3)
    return o.a is o.b
--- state
o.a is o.b, o.a
=== row_written
w = torch.arange(12.).reshape(4, 3)
def step(i):
    r = w[i]
    r.add_(1)
    return r
--- call
torch.tensor(n % 4)
--- state
w
=== gradient_cleared_after_backward_has_reached_it: raises
p = nn.Parameter(torch.arange(4.0))
q = nn.Parameter(torch.ones(4))
def step(x):
    q.expand(2, 4).sum().backward()
    x.grad = None
    return x
--- call
q
--- change 3
q = p * 2
--- state
p, p.grad
=== gradient_of_another_dtype_than_its_leaf: compiles
w = nn.Parameter(torch.ones(2, 3))
w.sum().backward()
w.data = w.data.double()
def step(x):
    (w * 0.1).sum().backward()
    return x + w.grad[0]
--- state
w.grad, w.dtype
=== argument_of_inference_mode_and_then_another: compiles
with torch.inference_mode(): held = torch.ones(3)
def step(x):
    y = x.detach()
    return x[1:], y, x.view(3, 1), y * 2 if y.is_inference() else y * 3
--- call
held
--- change 2
held = torch.ones(3)
--- change 4
with torch.inference_mode(): held = torch.ones(3)
=== argument_of_inference_mode_is_written_to: raises
with torch.inference_mode(): a = torch.ones(3)
b = torch.ones(3)
def step(x): return x.add_(1) * 2, x[1:]
--- call
(b, a)[n % 2]
''')
