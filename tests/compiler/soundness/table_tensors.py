"""Programs about results and arguments: which tensor it is, what it shares, which kinds there are."""

from __future__ import annotations

from .programs import read

PROGRAMS = read('''
=== result_is_argument: compiles
def step(x): return x
=== result_is_argument_twice: compiles
def step(x): return x, [x], {"x": x}
=== result_is_argument_list:
def step(l): return l
--- call
[torch.arange(1.0, 4.0) + n]
=== result_is_new_list_of_argument: compiles
def step(l): return list(l)
--- call
[torch.arange(1.0, 4.0) + n]
=== result_is_state_list: compiles
l = [torch.ones(3)]
def step(x): return l, x * l[0]
--- state
l
=== result_is_state_tensor: compiles
t = torch.ones(3)
def step(x): return t, x * t
--- state
t
--- change 3
t = torch.full((3,), 5.0)
=== result_is_state_object: compiles
class O: k = 2.0
o = O()
def step(x): return o, x * o.k
--- state
o
=== result_is_state_function: compiles
def f(x): return x * 2
def step(x): return f, f(x)
--- state
f
=== result_is_view_of_state: compiles
t = torch.arange(6.0).reshape(2, 3)
def step(x): return t[1], x * 2
--- state
t
--- change 3
last[0].zero_()
=== result_is_view_of_argument: compiles
def step(x): return x[1:], x.reshape(3, 1), x.detach()
=== result_is_view_of_result: compiles
def step(x):
    y = x * 2
    return y, y[1:], y.reshape(3, 1)
=== result_is_transposed: compiles
def step(x): return x.t(), (x * 2).t(), x.t() * 2
--- call
torch.arange(6.0).reshape(2, 3) + n
=== result_is_expanded: compiles
def step(x): return x.expand(2, 3), (x * 2).expand(2, 3)
=== result_is_clone_and_contiguous: compiles
def step(x): return x.clone(), x.contiguous(), x.t().contiguous()
--- call
torch.arange(6.0).reshape(2, 3) + n
=== result_to_same_dtype: compiles
def step(x): return x.to(torch.float32), x.float(), x.to("cpu"), x.double()
=== result_of_method_that_returns_self: compiles
def step(x): return x.add_(1), x
=== reshape_that_shares_or_copies: compiles
def step(x): return x.reshape(6), x.t().reshape(6), x.flatten()
--- call
torch.arange(6.0).reshape(2, 3) + n
=== result_is_cached_constant: compiles
def step(x): return torch.ones(3), x * 2
--- change 3
last[0].zero_()
=== result_number_and_text: compiles
def step(x): return x * 2, 3, "a", None, True, 2.5, (), [], {}
=== result_written_between: compiles
t = torch.ones(3)
def step(x): return x * t
--- change
if last is not None: last.zero_()
=== result_is_argument_of_next: compiles
def step(x): return x * 2 + 1
--- call
torch.ones(3) if last is None else last
=== result_stays_when_state_moves: compiles
t = torch.ones(3)
def step(x):
    t.add_(x)
    return t * 1, t
--- state
t
=== same_tensor_twice: compiles
def step(x, y):
    x.add_(1)
    return x * y
--- call
*((torch.ones(3),) * 2 if n % 2 else (torch.ones(3), torch.ones(3))),
=== same_tensor_twice_in_containers: compiles
def step(a, b):
    a[0].mul_(2)
    return a[0] + b["x"]
--- change
x = torch.ones(3); y = x if n > 3 else torch.ones(3)
--- call
[x], {"x": y}
=== argument_is_state: compiles
t = torch.ones(3)
def step(x):
    t.add_(1)
    return x * t
--- call
t if n > 3 else torch.ones(3)
=== argument_is_view_of_state: compiles
t = torch.ones(2, 3)
def step(x):
    t.add_(1)
    return x * 2
--- call
t[0] if n > 3 else torch.ones(3)
=== arguments_overlap: raises
def step(x, y):
    x.add_(y)
    return x * y
--- change
b = torch.arange(6.0)
--- call
*((b[:4], b[2:]) if n > 3 else (b[:3], b[3:])) if n != 4 else (b[:4], b[2:]),
=== arguments_overlap_shifted:
def step(x, y):
    x.copy_(y * 2)
    return y + 0
--- change
b = torch.arange(6.0)
--- call
b[:5], (b[1:] if n > 2 else torch.ones(5))
=== argument_is_expanded: compiles
def step(x): return x * 2
--- call
torch.ones(3).expand(2, 3) if n > 3 else torch.ones(2, 3)
=== argument_is_expanded_and_written: raises
def step(x): return x.add_(1)
--- call
torch.ones(3).expand(2, 3) if n > 3 else torch.ones(2, 3)
=== argument_is_transposed: compiles
def step(x): return x * 2, x.reshape(-1)
--- call
torch.arange(9.0).reshape(3, 3).t() if n > 3 else torch.arange(9.0).reshape(3, 3)
=== argument_is_strided_view: compiles
def step(x): return x * 2, x.is_contiguous()
--- call
torch.arange(6.0)[::2] if n > 3 else torch.arange(3.0)
=== argument_stride_read: compiles
def step(x): return x * x.stride()[0]
--- call
torch.arange(6.0)[::2] if n > 3 else torch.arange(3.0)
=== argument_offset_read:
def step(x): return x * (1 + x.storage_offset())
--- call
torch.arange(6.0)[3:] if n > 3 else torch.arange(3.0)
=== argument_shapes: compiles
def step(x): return x * x.shape[0], x.sum() / x.numel(), len(x)
--- call
torch.ones(n % 3 + 1)
=== argument_dimensions: compiles
def step(x): return x.sum(-1) if x.dim() else x * 2
--- call
torch.ones(()) if n % 2 else torch.ones(2)
=== argument_dtypes: compiles
def step(x): return x / 2, x.dtype
--- call
torch.ones(3, dtype=(torch.float32, torch.float64, torch.int64)[n % 3])
=== argument_empty: compiles
def step(x): return x * 2, x.sum()
--- call
torch.ones(0 if n > 3 else 3)
=== argument_requires_grad: compiles
def step(x): return x * 2, x.requires_grad
--- call
torch.ones(3, requires_grad=n > 3)
=== argument_with_history: compiles
w = torch.ones(3, requires_grad=True)
def step(x): return x * 2
--- call
(w * n if n > 3 else torch.ones(3))
--- change
if n > 4: last.sum().backward()
--- state
w.grad
=== argument_is_leaf_read: compiles
w = torch.ones(3, requires_grad=True)
def step(x): return x * 2 if x.is_leaf else x * 3
--- call
(w * 1 if n > 3 else w)
=== argument_with_gradient: compiles
def step(x): return x * 2 if x.grad is None else x * x.grad
--- change
x = torch.ones(3, requires_grad=True)
if n > 3: x.grad = torch.full((3,), float(n))
--- call
x
=== argument_is_parameter: compiles
def step(x): return isinstance(x, nn.Parameter), x * 2
--- call
nn.Parameter(torch.ones(3)) if n > 3 else torch.ones(3, requires_grad=True)
=== argument_is_number: compiles
def step(x, k): return x * k
--- call
torch.ones(3), float(n % 2)
=== argument_is_tensor_or_number: compiles
def step(x, k): return x * k
--- call
torch.ones(3), torch.tensor(2.0) if n > 3 else 2.0
=== argument_is_none: compiles
def step(x, k=None): return x if k is None else x * k
--- call
torch.ones(3), *(() if n < 3 else (torch.full((3,), 2.0),))
=== arguments_by_keyword: compiles
def step(x, y): return x - y
--- call
**({"x": torch.ones(3), "y": torch.zeros(3)} if n < 3 else {"y": torch.ones(3), "x": torch.zeros(3)})
=== keyword_order_seen: compiles
def step(**kw): return [(k, v * 2) for k, v in kw.items()]
--- call
**({"x": torch.ones(3), "y": torch.zeros(3)} if n < 3 else {"y": torch.ones(3), "x": torch.zeros(3)})
=== positional_or_keyword: compiles
def step(x, y=2.0): return x * y
--- call
torch.ones(3), **({} if n % 2 else {"y": 2.0})
=== argument_containers: compiles
def step(a): return a[0] * 2, type(a).__name__
--- call
(list, tuple)[n % 2]([torch.ones(3)])
=== argument_dict_order: compiles
def step(d):
    y = 1
    for k in d: y = (y + 1) * d[k]
    return y
--- call
{"a": torch.ones(3), "b": torch.zeros(3)} if n % 2 else {"b": torch.zeros(3), "a": torch.ones(3)}
=== argument_dataclass: compiles
@dataclasses.dataclass
class A:
    t: object
    k: float
def step(a): return a.t * a.k
--- call
A(torch.ones(3), float(n % 2))
=== argument_object_with_tensor: compiles
class O: pass
o = O()
def step(o): return o.t * 2
--- change
o.t = torch.full((3,), float(n))
--- call
o
=== argument_list_mutated:
def step(l):
    l.append(l[0] * 2)
    return l[-1]
--- call
[torch.arange(1.0, 4.0) + n]
=== argument_dict_mutated:
def step(d):
    d["y"] = d["x"] * 2
    return d
--- call
{"x": torch.arange(1.0, 4.0) + n}
=== argument_list_item_replaced:
def step(l):
    l[0] = l[0] + 1
    return l[0] * 2
--- call
[torch.arange(1.0, 4.0) + n]
=== argument_popped:
def step(d):
    y = d.pop("x")
    return y * 2
--- call
{"x": torch.arange(1.0, 4.0) + n, "z": 1}
=== argument_attribute_set:
class O: pass
def step(o, x):
    o.y = x * 2
    return o
--- call
O(), torch.arange(1.0, 4.0) + n
=== argument_written_in_place: compiles
def step(x):
    x.mul_(2)
    return x + 1
=== argument_data_replaced:
def step(x):
    x.data = x.data * 2
    return x + 1
=== argument_resized:
def step(x):
    x.resize_(2)
    return x + 1
=== argument_callable: compiles
def step(f, x): return f(x)
--- call
(torch.sin if n % 2 else torch.cos), torch.arange(1.0, 4.0) + n
=== argument_lambda_each_time: compiles
def step(f, x): return f(x)
--- call
(lambda x: x * 2), torch.arange(1.0, 4.0) + n
=== argument_class: compiles
class A: k = 2.0
class B: k = 3.0
def step(c, x): return x * c.k
--- call
(A if n % 2 else B), torch.arange(1.0, 4.0)
''')
