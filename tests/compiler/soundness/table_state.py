"""Programs about tensors that are state: replaced, written, given other data, gradients and hooks."""

from __future__ import annotations

from .programs import read

PROGRAMS = read('''
=== state_tensor_replaced: compiles
t = torch.ones(3)
def step(x): return x * t
--- change 3
t = torch.full((3,), 5.0)
=== state_tensor_replaced_other_dtype: compiles
t = torch.ones(3)
def step(x): return x * t
--- change 3
t = torch.full((3,), 5.0, dtype=torch.float64)
=== state_tensor_replaced_by_view: compiles
t = torch.ones(3)
def step(x): return x * t, t
--- change 3
t = torch.arange(6.0)[::2]
=== state_tensors_become_one: compiles
a, b = torch.ones(3), torch.ones(3)
def step(x):
    a.add_(1)
    return x * b
--- change 3
b = a
--- change 5
b = torch.ones(3)
=== state_tensors_become_views:
a, b = torch.ones(3), torch.ones(3)
def step(x):
    a.add_(1)
    return x * b
--- change 3
c = torch.arange(4.0); a, b = c[:3], c[1:]
=== state_data_replaced: compiles
t = torch.ones(3)
def step(x): return x * t
--- change 3
t.data = torch.full((3,), 5.0)
=== state_data_shared: compiles
a, b = torch.ones(3), torch.ones(3)
def step(x):
    a.add_(1)
    return x * b
--- change 3
b.data = a.data
=== state_data_other_shape: compiles
t = torch.ones(3)
def step(x): return x * t
--- change 3
t.data = torch.ones(2, 1)
=== state_set_: compiles
t = torch.ones(3)
def step(x): return x * t
--- change 3
t.set_(torch.full((3,), 5.0))
=== state_requires_grad_flips: compiles
t = torch.ones(3)
def step(x): return x * t
--- change 2
t.requires_grad_()
--- change 4
t.requires_grad_(False)
=== state_becomes_non_leaf: compiles
t = torch.ones(3, requires_grad=True)
u = t
def step(x): return x * u
--- change 3
u = t * 2
--- change 5
last.sum().backward()
--- state
t.grad
=== state_detached_in_place: compiles
t = torch.ones(3, requires_grad=True) * 2
def step(x): return x * t
--- change 3
t.detach_()
=== gradient_accumulates: compiles
w = torch.ones(3, requires_grad=True)
def step(x):
    (x * w).sum().backward()
    return w.grad
--- change 4
w.grad = None
--- state
w.grad
=== gradient_zeroed_between: compiles
w = torch.ones(3, requires_grad=True)
def step(x):
    (x * w).sum().backward()
    return x * 1
--- change 3
w.grad.zero_()
--- state
w.grad
=== gradient_replaced_between: compiles
w = torch.ones(3, requires_grad=True)
def step(x):
    (x * w).sum().backward()
    return x * 1
--- change 3
w.grad = torch.full((3,), 10.0)
--- state
w.grad
=== gradient_is_another_tensor: compiles
w = torch.ones(3, requires_grad=True)
g = torch.zeros(3)
def step(x):
    (x * w).sum().backward()
    return g * 1
--- change 3
w.grad = g
--- state
w.grad, g
=== gradient_set_to_none_inside: compiles
w = torch.ones(3, requires_grad=True)
def step(x):
    w.grad = None
    (x * w).sum().backward()
    return x * 1
--- state
w.grad
=== gradient_read_before_backward: compiles
w = torch.ones(3, requires_grad=True)
def step(x):
    before = None if w.grad is None else w.grad * 1
    (x * w).sum().backward()
    return before
--- state
w.grad
=== gradient_kept_for_inner: compiles
w = torch.ones(3, requires_grad=True)
def step(x):
    y = x * w
    y.retain_grad()
    y.sum().backward()
    return y.grad
=== gradient_by_function: compiles
w = torch.ones(3, requires_grad=True)
def step(x): return torch.autograd.grad((x * w * w).sum(), w)[0]
--- change 3
with torch.no_grad(): w.mul_(3)
=== second_gradient: compiles
w = torch.ones(3, requires_grad=True)
def step(x):
    (g,) = torch.autograd.grad((x * w ** 3).sum(), w, create_graph=True)
    g.sum().backward()
    return g.detach()
--- change 3
with torch.no_grad(): w.mul_(3)
--- state
w.grad
=== backward_after_call: compiles
w = torch.ones(3, requires_grad=True)
def step(x): return x * w * w
--- change
if last is not None: last.sum().backward()
--- state
w.grad
=== backward_twice_retained: compiles
w = torch.ones(3, requires_grad=True)
def step(x): return (x * w * w).sum()
--- change 3
last.backward(retain_graph=True); last.backward()
--- state
w.grad
=== backward_after_state_moved: raises
w = torch.ones(3, requires_grad=True)
def step(x): return (x * w * w).sum()
--- change 3
first = last
with torch.no_grad(): w.mul_(2)
try: first.backward()
except RuntimeError as error: print(str(error)[:60])
--- state
w.grad
=== tensor_hook_added:
w = torch.ones(3, requires_grad=True)
def step(x):
    (x * w).sum().backward()
    return x * 1
--- change 3
h = w.register_hook(lambda g: g * 2)
--- change 5
h.remove()
--- state
w.grad
=== post_accumulate_hook_added:
w = torch.ones(3, requires_grad=True)
log = []
def step(x):
    (x * w).sum().backward()
    return x * 1
--- change 3
w.register_post_accumulate_grad_hook(lambda p: log.append(p.grad.sum().item()))
--- state
w.grad, log
=== late_hook_of_a_leaf_that_is_read: compiles
w = torch.ones(3, requires_grad=True)
log = []
w.register_post_accumulate_grad_hook(lambda p: log.append(p.grad.sum().item()))
def step(x): return x * w
--- change
if last is not None: last.sum().backward()
--- state
w.grad, log
=== late_hook_of_a_leaf_that_gets_a_gradient:
w = torch.ones(3, requires_grad=True)
log = []
w.register_post_accumulate_grad_hook(lambda p: log.append(p.grad.sum().item()))
def step(x):
    (x * w).sum().backward()
    return x * 1
--- state
w.grad, log
=== hook_inside_logs:
w = torch.ones(3, requires_grad=True)
log = []
def step(x):
    y = x * w
    y.register_hook(lambda g: log.append(g.tolist()))
    y.sum().backward()
    return y
--- state
log
=== hook_on_result_after_call:
w = torch.ones(3, requires_grad=True)
def step(x): return x * w
--- change
if last is not None:
    last.register_hook(lambda g: g * 2); last.sum().backward()
--- state
w.grad
=== tensor_class_held: compiles
class O: t = torch.ones(3)
def step(x): return x * O.t
--- change 2
O.t.add_(1)
--- change 4
O.t = torch.full((3,), 7.0)
=== tensor_as_default: compiles
def f(x, t=torch.ones(3)): return x * t
def step(x): return f(x)
--- change 3
f.__defaults__[0].add_(4)
=== tensor_as_dict_key: compiles
t = torch.ones(3)
d = {t: 2.0}
def step(x): return x * d[t]
--- change 3
d[t] = 3.0
=== tensor_identity_read: compiles
t = torch.ones(3)
def step(x): return x * 2 if x is t else x * 3
--- call
t if n > 3 else torch.ones(3)
=== tensor_attributes_kept:
def step(x):
    y = x * 2
    y.tag = "made"
    return y
=== tensor_attribute_set_on_argument:
def step(x):
    x.seen = getattr(x, "seen", 0) + 1
    return x * x.seen
--- change 0
t = torch.ones(3)
--- call
t
=== tensor_name_and_version:
t = torch.ones(3)
def step(x):
    t.add_(1)
    return x * t._version
--- state
t
=== tensor_subclass: raises
class T(torch.Tensor): pass
t = torch.ones(3).as_subclass(T)
def step(x): return x * t
--- change 3
T.k = 2
=== tensor_subclass_argument: raises
class T(torch.Tensor): pass
def step(x): return x * 2
--- call
torch.ones(3).as_subclass(T) if n > 3 else torch.ones(3)
=== tensor_subclass_with_function:
class T(torch.Tensor):
    calls = []
    @classmethod
    def __torch_function__(cls, f, types, args=(), kwargs=None):
        cls.calls.append(f.__name__)
        return super().__torch_function__(f, types, args, kwargs or {})
t = torch.ones(3).as_subclass(T)
def step(x): return torch.mul(x, t).as_subclass(torch.Tensor)
--- state
len(T.calls) > 0
=== torch_function_object:
class O:
    k = 2.0
    @classmethod
    def __torch_function__(cls, f, types, args=(), kwargs=None): return cls.k
o = O()
def step(x): return x * torch.add(x, o)
--- change 3
O.k = 3.0
=== torch_function_mode:
class M(torch.overrides.TorchFunctionMode):
    def __torch_function__(self, f, types, args=(), kwargs=None):
        log.append(1)
        return f(*args, **(kwargs or {}))
log = []
def step(x): return torch.sin(x)
inner = compiled(step)
def step(x):
    if x[0] > 4:
        with M(): return inner(x)
    return inner(x)
--- state
len(log) > 0
=== custom_function: compiles
class Twice(torch.autograd.Function):
    k = 2.0
    @staticmethod
    def forward(ctx, x): return x * Twice.k
    @staticmethod
    def backward(ctx, g): return g * Twice.k
w = torch.ones(3, requires_grad=True)
def step(x):
    y = Twice.apply(x * w)
    y.sum().backward()
    return y.detach()
--- change 3
Twice.k = 3.0
--- state
w.grad
=== in_place_on_view_of_state: compiles
t = torch.zeros(2, 3)
def step(x):
    t[0].add_(x)
    t[1, 1:] = x[1:]
    return t.sum()
--- state
t
=== in_place_under_alias: compiles
t = torch.zeros(3)
u = t
def step(x):
    u.add_(x)
    return t * 1
--- state
t
=== in_place_on_alias_of_argument: compiles
def step(x):
    y = x[1:]
    y.zero_()
    return x * 1
=== in_place_shape_change:
def step(x):
    x.unsqueeze_(0)
    return x * 2
=== in_place_error_midway: raises
t = torch.zeros(3)
def step(x):
    t.add_(1)
    t.add_(x)
    return t * 1
--- call
torch.ones(4 if n == 3 else 3)
--- state
t
=== copy_of_tensor:
t = torch.ones(3)
def step(x): return copy.copy(x) * copy.deepcopy(t)
--- change 3
t.add_(1)
''')
