"""Wrappers of torch's that are made outside the function, and what they hold that changes between calls."""

from __future__ import annotations

from .programs import read

PROGRAMS = read(r'''
=== vmap_of_a_function_of_a_global: compiles
k = [2.0]
def f(a): return a * k[0]
g = torch.func.vmap(f)
def step(x): return g(x)
--- change 3
k[0] = 3.0
=== vmap_of_a_module_whose_parameter_is_replaced
m = nn.Sequential(nn.Linear(3, 2), nn.Tanh())
g = torch.func.vmap(m)
def step(x): return g(x)
--- call
torch.ones(4, 3) + n
--- change 3
m[0].weight = nn.Parameter(torch.ones(2, 3))
--- change 5
m[1] = nn.ReLU()
=== grad_of_a_function_replaced_in_its_global: compiles
def h(a): return a.sin()
def f(a): return h(a).sum()
g = torch.func.grad(f)
def step(x): return g(x)
--- change 3
def h(a): return a.cos()
=== grad_of_a_bound_method: compiles
class Model:
    def __init__(self): self.k = 2.0
    def loss(self, a): return (a * a * self.k).sum()
m = Model()
g = torch.func.grad(m.loss)
def step(x): return g(x)
--- change 3
m.k = 5.0
--- change 5
Model.loss = lambda self, a: a.sum() * self.k
=== grad_of_a_callable_object: compiles
class Loss:
    k = 2.0
    def __call__(self, a): return (a ** 3 * self.k).sum()
f = Loss()
g = torch.func.grad(f)
def step(x): return g(x)
--- change 3
f.k = 4.0
--- change 5
Loss.__call__ = lambda self, a: a.sum()
=== grad_of_a_partial: compiles
def loss(k, a): return (a * a * k[0]).sum()
k = [2.0]
g = torch.func.grad(functools.partial(loss, k))
def step(x): return g(x)
--- change 3
k[0] = 7.0
=== wrapper_in_a_wrapper: compiles
k = [2.0]
def f(a): return (a ** 3).sum() * k[0]
g = torch.func.vmap(torch.func.grad(f))
def step(x): return g(x)
--- call
torch.arange(6.0).reshape(2, 3) + n
--- change 3
k[0] = 3.0
=== jacrev_of_a_function_of_a_global
k = [2.0]
def f(a): return a * a * k[0]
g = torch.func.jacrev(f)
def step(x): return g(x)
--- change 3
k[0] = 3.0
=== hessian_of_a_function_of_a_global
k = [2.0]
def f(a): return (a ** 3).sum() * k[0]
g = torch.func.hessian(f)
def step(x): return g(x)
--- change 3
k[0] = 3.0
=== in_dims_changed_in_place
dims = [0]
g = torch.func.vmap(lambda a: a[0].sum() * 2, in_dims=(dims,))
def step(x): return g([x])
--- call
torch.arange(9.0).reshape(3, 3) + n
--- change 3
dims[0] = 1
=== no_grad_around_a_function: compiles
k = [2.0]
@torch.no_grad()
def f(a): return a * k[0]
def step(x): return f(x)
--- change 3
k[0] = 3.0
=== no_grad_around_a_method: compiles
class Model:
    k = 2.0
    @torch.no_grad()
    def loss(self, a): return a * self.k
m = Model()
def step(x): return m.loss(x)
--- change 3
m.k = 3.0
--- change 5
Model.k = 9.0
=== functional_call_in_a_partial
m = nn.Linear(3, 2)
p = {"weight": torch.ones(2, 3), "bias": torch.zeros(2)}
g = functools.partial(torch.func.functional_call, m)
def step(x): return g(p, (x,))
--- change 3
p["bias"] = torch.ones(2)
=== checkpoint_of_a_function_of_a_global
k = [2.0]
def f(a): return a.sin() * k[0]
def step(x):
    y = x.clone().requires_grad_()
    torch.utils.checkpoint.checkpoint(f, y, use_reentrant=False).sum().backward()
    return y.grad
--- change 3
k[0] = 3.0
=== custom_function_of_globals: compiles
k, q = [2.0], [3.0]
class Scaled(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a): return a * k[0]
    @staticmethod
    def backward(ctx, g): return g * q[0]
def step(x):
    y = x.clone().requires_grad_()
    Scaled.apply(y).sum().backward()
    return y.grad
--- change 3
k[0] = 5.0
--- change 4
q[0] = 7.0
--- change 5
Scaled.backward = staticmethod(lambda ctx, g: g * 11.0)
=== class_as_a_callback_of_tree_map
class Box:
    k = 2.0
    def __init__(self, a): self.a = a * self.k
def step(x): return [b.a for b in torch.utils._pytree.tree_map(Box, [x, x + 1])]
--- change 3
Box.k = 3.0
=== distribution_made_outside
d = torch.distributions.Normal(torch.zeros(3), torch.ones(3))
def step(x): return d.log_prob(x)
--- change 3
d.loc = torch.ones(3)
--- change 5
d.scale.mul_(2)
=== module_of_another_class
class A(nn.Module):
    def forward(self, x): return x * 2
class B(nn.Module):
    def forward(self, x): return x * 3
m = A()
def step(x): return m(x)
--- change 3
m.__class__ = B
=== initializer_that_is_a_partialmethod
class Box:
    def set(self, k, a): self.a = a * k
    __init__ = functools.partialmethod(set, 2.0)
def step(x): return Box(x).a
--- change 3
Box.__init__ = functools.partialmethod(Box.set, 3.0)
=== enum_by_value: compiles
class Color(enum.Enum):
    RED = 1
    BLUE = 2
key = [1]
def step(x): return x * (2 if Color(key[0]) is Color.RED else 3)
--- change 3
key[0] = 2
=== enum_member_with_an_attribute
class Color(enum.Enum):
    RED = 1
    BLUE = 2
Color.RED.weight = 2.0
def step(x): return x * Color(1).weight
--- change 3
Color.RED.weight = 5.0
=== enum_by_a_value_that_is_missing
fallback = ["RED"]
class Color(enum.Enum):
    RED = 1
    BLUE = 2
    @classmethod
    def _missing_(cls, value): return cls[fallback[0]]
def step(x): return x * Color(9).value
--- change 3
fallback[0] = "BLUE"
=== gradients_of_many_covectors: compiles
w = nn.Parameter(torch.arange(6.0).view(2, 3))
b = nn.Parameter(torch.ones(3))
G = []
def step(x):
    y = (x * w).sin() + b
    return y, (y * w).sum()
--- change 2 4
def of(y, v, *to, **kw): return torch.autograd.grad(y, to, v, retain_graph=True, **kw)
G.append(of(last[0], torch.arange(24.0).view(4, 2, 3), w, b, is_grads_batched=True))
G.append(of(last[1], torch.arange(3.0), w, b, is_grads_batched=True))
G.append(torch.vmap(lambda v: of(last[0], v, w))(torch.ones(2, 2, 3)))
G.append(torch.vmap(torch.vmap(lambda v: of(last[1], v, b)))(torch.ones(2, 2)))
--- state
G
=== jacobians_of_a_compiled_function
f = compiled(lambda x: torch.tanh(x) * K)
K = 2.0
def step(x):
    J = torch.autograd.functional.jacobian(f, x, vectorize=True)
    return J, torch.autograd.functional.vjp(f, x, torch.ones(3))[1], torch.func.jacrev(f)(x)
step = step
--- change 3
K = 3.0
=== forward_mode_over_a_compiled_pullback: compiles
w = nn.Parameter(torch.ones(3))
R = []
def step(x):
    return (x * w).sin()
--- change 2 4
def pulled(v): return torch.autograd.grad(last, w, v, retain_graph=True)[0]
R.append(torch.func.jvp(pulled, (torch.ones(3),), (torch.arange(3.0),)))
--- state
R
=== a_function_that_vjp_returns: compiles
K = torch.tensor([1.0, 2.0, 3.0])
def step(x):
    r, pull = torch.func.vjp(lambda k: torch.sin(x * k), K)
    pushed = torch.func.jvp(lambda k: torch.sin(x * k), (K,), pull(r))[1]
    return r, pull(pushed)
--- change 2
K = torch.tensor([3.0, 1.0, 2.0])
--- change 4
K.mul_(2)
=== a_function_that_vjp_returned_before
K = torch.tensor([1.0, 2.0, 3.0])
pull = torch.func.vjp(torch.sin, K)[1]
def step(x):
    return pull(x.cos())
--- change 3
pull = torch.func.vjp(torch.exp, K)[1]
''')
