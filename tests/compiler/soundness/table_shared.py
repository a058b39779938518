"""Programs in which tensors share memory, and each counts its writes by itself."""

from __future__ import annotations

from .programs import read

PROGRAMS = read(r'''
=== shared_saved_of_data_that_is_gone:
w = torch.ones(3, requires_grad=True)
def step(x):
    y = (w * x.data).sum()
    x.data.add_(1)
    y.backward()
    return y
--- state
w.grad
=== shared_saved_of_data_then_written:
w = torch.ones(3, requires_grad=True)
def step(x):
    y = (w * x.data).sum()
    x.add_(1)
    y.backward()
    return y
--- state
w.grad
=== shared_saved_of_a_view_that_is_gone:
w = torch.ones(2, requires_grad=True)
def step(x):
    z = x * 1
    y = (w * z.data[1:]).sum()
    z.add_(1)
    y.backward()
    return y, z
--- state
w.grad
=== shared_saved_of_an_array:
w = torch.ones(3, requires_grad=True)
def step(x, a):
    y = (w * torch.from_numpy(a)).sum()
    torch.from_numpy(a).add_(1)
    y.backward()
    return y
--- call
torch.arange(1.0, 4.0), np.full(3, n, dtype=np.float32)
--- state
w.grad
=== shared_data_written_after_backward: compiles
w = torch.ones(3, requires_grad=True)
def step(x):
    y = (w * x.data).sum()
    y.backward()
    w.data.add_(w.grad, alpha=-0.1)
    x.data.add_(1)
    return y
--- state
w, w.grad
=== shared_array_in_inference_mode: compiles
def step(x, a):
    with torch.inference_mode():
        t = torch.from_numpy(a)
        return t, t.view(-1), torch.tensor(a), x * t, torch.from_numpy(x.numpy())
--- call
torch.arange(1.0, 4.0), np.full(3, n, dtype=np.float32)
=== shared_array_of_a_tensor: compiles
t = torch.ones(3)
def step(x): return torch.from_numpy(t.numpy()), x * t
--- change
if n: last[0].add_(1)
--- state
t, t._version, last is None or last[0]._version
=== shared_array_of_a_tensor_written:
t = torch.ones(3)
def step(x):
    made = torch.from_numpy(t.numpy())
    made.add_(x)
    return made
--- state
t, t._version, last is None or last._version
=== shared_data_of_a_result_written: compiles
def step(x):
    y = x * 2
    d = y.data
    d.add_(1)
    e = x.data
    x.mul_(2)
    e.mul_(3)
    e.mul_(3)
    return y, d, e
--- call
X
--- change
X = torch.ones(3)
--- state
X._version, X, last is None or [t._version for t in last]
=== shared_data_and_its_view:
t = torch.ones(3)
def step(x):
    d = t.data
    return d, d.view(3, 1), x * 2
--- change
if n: last[0].add_(1)
--- state
t, last is None or [each._version for each in last]
=== shared_array_and_its_view_kept:
a = np.zeros(3, dtype=np.float32)
seen = []
def step(x, a):
    t = torch.from_numpy(a)
    seen.append(t.view(3, 1))
    return t
--- call
torch.arange(1.0, 4.0), a
--- change
if last is not None: last.add_(1)
--- state
a, seen, [t._version for t in seen]
=== shared_views_of_data_apart: compiles
t = torch.ones(3)
def step(x): return t.data, t.data[1:], t.detach(), t.detach()[1:], x * 2
--- change
if n: last[0].add_(1)
--- state
t, last is None or [each._version for each in last]
=== shared_data_transposed_in_place:
t = torch.arange(9.0).reshape(3, 3)
def step(x):
    d = t.data
    d.t_()
    return d, d @ x
--- state
t
=== shared_array_transposed_in_place:
def step(x, a):
    t = torch.from_numpy(a)
    t.t_()
    return t, t.contiguous(), t @ x
--- call
torch.arange(1.0, 4.0), np.arange(9, dtype=np.float32).reshape(3, 3) + n
''')
