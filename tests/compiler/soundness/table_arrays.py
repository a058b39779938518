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
=== array_as_argument:
def step(x, a): return x * torch.from_numpy(a)
--- call
torch.arange(1.0, 4.0), np.full(3, n, dtype=np.float32)
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
