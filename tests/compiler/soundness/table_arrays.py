"""Programs that read NumPy arrays and buffers, which change in place and share memory with tensors."""

from __future__ import annotations

from .programs import read

PROGRAMS = read('''
=== from_numpy_outside: compiles
a = np.ones(3, dtype=np.float32)
t = torch.from_numpy(a)
def step(x): return x * t
--- change 3
a[0] = 5
=== from_numpy_inside:
a = np.ones(3, dtype=np.float32)
def step(x): return x * torch.from_numpy(a)
--- change 3
a[0] = 5
=== from_numpy_inside_returned:
a = np.ones(3, dtype=np.float32)
def step(x):
    t = torch.from_numpy(a)
    return x * t, t
--- change 3
a[0] = 5
--- state
a
=== from_numpy_inside_written:
a = np.zeros(3, dtype=np.float32)
def step(x):
    torch.from_numpy(a).add_(x)
    return x * 2
--- state
a
=== tensor_of_array:
a = np.ones(3, dtype=np.float32)
def step(x): return x * torch.tensor(a)
--- change 3
a[:] = 5
=== as_tensor_of_array:
a = np.ones(3, dtype=np.float32)
def step(x): return x * torch.as_tensor(a)
--- thread 3
a[:] = 5
=== asarray_of_array:
a = np.ones(3, dtype=np.float32)
def step(x):
    t = torch.asarray(a)
    return x * t, t
--- change 3
a[:] = 5
=== array_replaced:
a = np.ones(3, dtype=np.float32)
def step(x): return x * torch.from_numpy(a)
--- change 3
a = np.full(3, 5, dtype=np.float32)
=== array_other_dtype:
a = np.ones(3, dtype=np.float32)
def step(x): return x * torch.from_numpy(a)
--- change 3
a = a.astype(np.float64)
=== array_element_as_number:
a = np.ones(3)
def step(x): return x * float(a[0])
--- change 3
a[0] = 5
=== array_item:
a = np.ones(3)
def step(x): return x * a.item(0)
--- change 3
a[0] = 5
=== array_sum_as_number:
a = np.ones(3)
def step(x): return x * a.sum()
--- change 3
a[0] = 5
=== array_tolist:
a = np.array([1, 2, 3])
def step(x): return x * sum(a.tolist())
--- change 3
a[0] = 5
=== array_branch:
a = np.ones(3)
def step(x): return x * 2 if a[0] > 0 else x * 3
--- change 3
a[0] = -1
=== array_shape:
a = np.ones(3)
def step(x): return x * a.shape[0]
--- change 3
a = np.ones(5)
=== array_in_list:
l = [np.ones(3, dtype=np.float32)]
def step(x): return x * torch.from_numpy(l[0])
--- change 3
l[0][1] = 4
=== array_attribute:
class O: pass
o = O(); o.a = np.ones(3, dtype=np.float32)
def step(x): return x * torch.tensor(o.a)
--- change 3
o.a *= 3
=== array_times_tensor:
a = np.float32(2.0)
def step(x): return x * a
--- change 3
a = np.float32(3.0)
=== numpy_scalar_type:
k = np.int64(2)
def step(x): return x * k
--- call
torch.arange(1, 4) + n
--- change 3
k = np.float64(2.0)
=== numpy_bool:
k = np.bool_(True)
def step(x): return x * 2 if k else x * 3
--- change 3
k = np.bool_(False)
=== array_as_argument: compiles
def step(x, a): return x * torch.from_numpy(a)
--- call
torch.arange(1.0, 4.0), np.full(3, n, dtype=np.float32)
=== array_argument_kinds: compiles
def step(x, a, b, c): return x * torch.from_numpy(a) + torch.as_tensor(b) + torch.tensor(c).sum()
--- call
torch.arange(1.0, 4.0), np.full(3, n, dtype=np.float32), np.arange(3) * n, np.ones((n % 2 + 1, 2))
=== array_argument_of_old_types: compiles
def step(a, b): return torch.FloatTensor(a) + torch.Tensor(a), torch.LongTensor(b), torch.DoubleTensor(a)
--- call
np.full(3, n, dtype=np.float32), np.arange(3) * n
=== array_argument_rewritten: compiles
a = np.zeros(3, dtype=np.float32)
def step(x, a): return x * torch.from_numpy(a)
--- call
torch.arange(1.0, 4.0) + n, a
--- change
a += n
=== array_argument_in_dict: compiles
def step(batch, *, more): return torch.as_tensor(batch["x"]) * torch.as_tensor(more[0], dtype=torch.float64)
--- call
{"x": np.full(3, n, dtype=np.float32)}, more=[np.arange(3) + n]
=== array_argument_asked: compiles
def step(x, a, b):
    if a is None or b is not None or not isinstance(a, np.ndarray) or torch.is_tensor(a):
        return x
    return x * len(a) + a.ndim + a.shape[0] + a.size + torch.from_numpy(a)
--- call
torch.arange(1.0, 4.0), np.full(3 if n < 4 else 1, n, dtype=np.float32), None
=== array_argument_of_another_kind:
a = [np.ones(3), np.ones(6)[::2], np.full(3, 7), torch.ones(3), 2.0, np.float32(3), [1, 2, 3]]
def step(x, a): return x * torch.as_tensor(a)
--- call
torch.arange(1.0, 4.0), a[n]
=== array_argument_in_other_orders:
a = np.arange(9, dtype=np.float32).reshape(3, 3)
orders = [a, np.asfortranarray(a), np.repeat(a, 2, axis=1)[:, ::2], a.copy()]
def step(a): return torch.from_numpy(a) @ torch.ones(3)
--- call
orders[n % 4]
=== array_argument_read_only:
a = np.ones(3, dtype=np.float32)
b = np.full(3, 2, dtype=np.float32)
b.flags.writeable = False
def step(x, a): return x * torch.tensor(a)
--- call
torch.arange(1.0, 4.0), b if n > 2 else a
=== array_argument_unaligned:
a = np.ones(3, dtype=np.float32)
b = np.frombuffer(bytearray(13), dtype=np.float32, offset=1)
b[:] = 3
def step(x, a): return x * torch.as_tensor(a)
--- call
torch.arange(1.0, 4.0), b if n > 2 else a
=== array_argument_written_by_tensor:
a = np.ones(3, dtype=np.float32)
def step(x, a):
    t = torch.from_numpy(a)
    t.add_(x)
    return torch.FloatTensor(a) * 2, t._version
--- call
torch.arange(1.0, 4.0), a
--- state
a
=== array_argument_written_by_view:
a = np.ones((2, 3), dtype=np.float32)
def step(x, a):
    torch.as_tensor(a)[1].mul_(x)
    return torch.tensor(a).sum()
--- call
torch.arange(1.0, 4.0), a
--- state
a
=== array_argument_shared_with_tensor:
a = np.ones(3, dtype=np.float32)
t = torch.from_numpy(a)
def step(t, a):
    t.add_(1)
    return torch.from_numpy(a) * 2
--- call
(t if n > 2 else torch.ones(3)), a
--- state
a, t
=== array_argument_shared_with_state:
a = np.ones(3, dtype=np.float32)
b = np.ones(3, dtype=np.float32)
t = torch.from_numpy(a)
def step(a):
    t.add_(1)
    return torch.from_numpy(a) * 2
--- call
a if n > 2 else b
--- state
a, t
=== array_argument_is_the_result:
a = np.ones(3, dtype=np.float32)
seen = []
def step(x, a): return torch.from_numpy(a), torch.as_tensor(a)[1:]
--- call
torch.arange(1.0, 4.0), a
--- change
a += 1
if n: seen.append((last[0].clone(), last[1].clone())); last[1][0] = -1
--- state
a, seen
=== array_argument_is_kept:
a = np.ones(3, dtype=np.float32)
class O: pass
o = O()
def step(x, a):
    o.t = torch.from_numpy(a)
    return x * 2
--- call
torch.arange(1.0, 4.0), a
--- change
a += 1
--- state
a, o.t
=== array_argument_itself:
a = np.ones(3, dtype=np.float32)
o = []
def step(x, a):
    o.append(a)
    return a
--- call
torch.arange(1.0, 4.0), a
--- state
last is a, o[-1] is a
=== array_argument_numpy_again:
a = np.ones(3, dtype=np.float32)
seen = []
def step(x, a): return torch.from_numpy(a).numpy()
--- call
torch.arange(1.0, 4.0), a
--- change
a += 1
if n: seen.append(last.copy())
--- state
seen
=== array_argument_twice:
a = np.ones(3, dtype=np.float32)
def step(x, a, b): return x * torch.from_numpy(a) + torch.from_numpy(b), a is b
--- call
torch.arange(1.0, 4.0), a, a if n % 2 else a.copy()
=== array_argument_in_two_tensors: compiles
a = np.arange(3, dtype=np.float32)
def step(a):
    return torch.from_numpy(a), torch.from_numpy(a)
--- call
a
--- state
[t._version for t in (last[0].add_(1), last[1])] if last is not None else None, a.tolist()
=== array_argument_elsewhere:
a = np.ones(3, dtype=np.float32)
o = [a]
def step(x, a):
    y = torch.tensor(a)
    o[0][1] = 7
    return y + torch.from_numpy(a)
--- call
torch.arange(1.0, 4.0), a
--- change
a[1] = n
=== array_argument_in_place:
a = np.ones(3, dtype=np.float32)
def step(x, a):
    y = torch.tensor(a)
    a += 1
    a[0] = 5
    return y + torch.from_numpy(a)
--- call
torch.arange(1.0, 4.0), a
--- state
a
=== array_argument_computed:
def step(x, a): return x * torch.from_numpy(a * 2 + 1), a[0], a.sum(), np.mean(a), f"{a}", a.tolist()
--- call
torch.arange(1.0, 4.0), np.full(3, n, dtype=np.float32)
=== array_argument_decides:
def step(x, a): return x * 2 if torch.from_numpy(a).sum() > 3 else x * 3
--- call
torch.arange(1.0, 4.0), np.full(3, n, dtype=np.float32)
=== array_argument_differentiated: compiles
w = torch.ones(3, requires_grad=True)
def step(a):
    t = torch.from_numpy(a).requires_grad_()
    ((w * t) ** 2).sum().backward()
    return t.grad
--- call
np.full(3, n, dtype=np.float32)
--- state
w.grad
=== array_argument_saved: compiles
a = np.ones(3, dtype=np.float32)
w = torch.ones(3, requires_grad=True)
def step(a): return (w * torch.from_numpy(a)).sum()
--- call
a
--- change
a += 1
if n: last.backward()
--- state
w.grad
=== array_argument_under_hooks:
def step(a):
    with torch.autograd.graph.saved_tensors_hooks(lambda t: t * 2, lambda t: t):
        return torch.from_numpy(a) * 2
--- call
np.full(3, n, dtype=np.float32)
=== array_argument_without_axes:
def step(x, a): return x * torch.as_tensor(a)
--- call
torch.arange(1.0, 4.0), np.array(float(n))
=== array_argument_of_a_class:
class A(np.ndarray): pass
def step(x, a): return x * torch.as_tensor(a)
--- call
torch.arange(1.0, 4.0), np.full(3, n, dtype=np.float32).view(A) if n > 2 else np.full(3, n, dtype=np.float32)
=== array_argument_iterated:
def step(x, a): return x * sum(a), [*a], max(a), 2 in a, sorted(a)
--- call
torch.arange(1.0, 4.0), np.full(3, n, dtype=np.float32)
=== array_argument_as_index: compiles
def step(x, i): return x[torch.from_numpy(i)], x[torch.as_tensor(i)] * 2
--- call
torch.arange(1.0, 4.0), np.array([n % 3, 1])
=== array_argument_as_numpy_index:
def step(x, i): return x[i], x[i, None]
--- call
torch.arange(1.0, 4.0), np.array([n % 3, 1])
=== array_argument_written_as_index:
i = np.array([0, 1])
def step(x, i):
    y = x[i]
    return y, x.index_fill(0, torch.from_numpy(i), 0.0)
--- call
torch.arange(1.0, 4.0), i
--- change
i[0] = n % 3
=== array_argument_of_lists:
def step(x, a, b):
    both = torch.stack([torch.from_numpy(p) for p in (a, b)])
    return x + both, torch.tensor(np.stack([a, b]))
--- call
torch.arange(1.0, 4.0), np.full(3, n, dtype=np.float32), np.full(3, n, dtype=np.float32)
=== array_argument_written:
def step(x, a):
    a += 1
    return x * 2
--- call
torch.arange(1.0, 4.0), np.full(3, n, dtype=np.float32)
=== array_result:
def step(x): return (x * 2).numpy()
=== array_result_shares:
t = torch.ones(3)
def step(x):
    t.add_(x)
    return t.numpy()
--- state
t
=== array_of_argument:
def step(x):
    a = x.numpy()
    a[0] = 9
    return x * 2
=== numpy_function_of_tensor:
def step(x): return torch.from_numpy(np.exp(x.numpy() * 0))
=== numpy_ufunc_on_tensor:
def step(x): return np.add(x, 1)
=== array_counter:
a = np.zeros(1, dtype=np.int64)
def step(x):
    a[0] += 1
    return x * int(a[0])
--- state
a
=== array_view_written:
a = np.zeros((2, 3), dtype=np.float32)
v = a[1]
t = torch.from_numpy(a)
def step(x): return x + t
--- change 3
v[:] = 7
=== array_transposed: compiles
a = np.arange(6, dtype=np.float32).reshape(2, 3)
t = torch.from_numpy(a.T)
def step(x): return t @ x[:2]
--- change 3
a[0, 1] = 50
=== frombuffer_outside: compiles
b = bytearray(np.ones(3, dtype=np.float32).tobytes())
t = torch.frombuffer(b, dtype=torch.float32)
def step(x): return x * t
--- change 3
b[:4] = np.float32(5).tobytes()
=== frombuffer_inside:
b = bytearray(np.ones(3, dtype=np.float32).tobytes())
def step(x): return x * torch.frombuffer(b, dtype=torch.float32)
--- change 3
b[:4] = np.float32(5).tobytes()
=== array_module_buffer:
b = array.array("f", [1, 1, 1])
def step(x): return x * torch.frombuffer(b, dtype=torch.float32)
--- change 3
b[0] = 5
=== tensor_of_list: compiles
l = [1.0, 2.0, 3.0]
def step(x): return x * torch.tensor(l)
--- change 3
l[0] = 5.0
=== tensor_of_nested_list: compiles
l = [[1.0, 2.0, 3.0], [1.0, 1.0, 1.0]]
def step(x): return x * torch.tensor(l)
--- change 3
l[1][0] = 5.0
=== tensor_of_list_grown: compiles
l = [1.0]
def step(x): return x * torch.tensor(l).sum()
--- change 3
l.append(5.0)
=== as_tensor_of_list: compiles
l = [1.0, 2.0, 3.0]
def step(x): return x * torch.as_tensor(l)
--- change 3
l[0] = 5.0
=== tensor_of_range: compiles
r = range(3)
def step(x): return x * torch.tensor(r)
--- change 3
r = range(1, 4)
=== tensor_data_pointer:
t = torch.ones(3)
def step(x): return x * 2, t.data_ptr() == x.data_ptr()
=== numpy_shares_with_state: compiles
t = torch.ones(3)
a = t.numpy()
def step(x): return x * t
--- change 3
a[:] = 5
=== detached_shares_with_state: compiles
t = torch.ones(3, requires_grad=True)
d = t.detach()
def step(x): return x * t
--- change 3
d[0] = 5
=== view_of_state_written_outside: compiles
t = torch.ones(2, 3)
v = t[1]
def step(x): return x * t
--- change 3
v.zero_()
=== storage_written_outside: compiles
t = torch.ones(3)
def step(x): return x * t
--- change 3
t.untyped_storage().copy_(torch.full((3,), 5.0).untyped_storage())
=== array_interface_object:
class A:
    a = np.ones(3, dtype=np.float32)
    def __array__(self, dtype=None, copy=None): return self.a
o = A()
def step(x): return x * torch.tensor(np.asarray(o))
--- change 3
A.a = np.full(3, 5, dtype=np.float32)
=== index_by_array: compiles
i = [0, 2]
def step(x): return x[i]
--- change 3
i[0] = 1
=== index_by_numpy_array:
i = np.array([0, 2])
def step(x): return x[i]
--- change 3
i[0] = 1
=== vander_of_array_inside:
a = np.array([1.0, 2.0, 3.0], dtype=np.float32)
def step(x): return torch.vander(torch.from_numpy(a)) @ x
--- change 3
a[2] = 1.0
=== numpy_print_options:
a = np.ones(2)
def step(x):
    print(a)
    return x * 2
--- change 3
a[0] = 3
=== record_array:
a = np.zeros(2, dtype=[("k", "f4")])
def step(x): return x * float(a["k"][0])
--- change 3
a["k"][0] = 4
''')
