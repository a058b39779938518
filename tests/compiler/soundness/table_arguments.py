"""Programs whose arguments are found elsewhere, too, or hold what a call must compare."""

from __future__ import annotations

from .programs import read

PROGRAMS = read(r'''
=== given_global_tensor: compiles
T = torch.ones(3)
def step(x):
    return x + T * 2
--- call
T if n == 0 else torch.arange(3.0) + n
=== given_global_list
G = [torch.ones(3)]
def step(l):
    return G[0] * 2 + l[0]
--- call
G if n == 0 else [torch.arange(3.0) + n]
=== given_global_list_scalar
G = [1.0, 2.0]
def step(x, l):
    return x * G[0] + len(l), G[1]
--- call
torch.ones(3), (G if n == 0 else [1.0, 2.0])
--- change 3
G[0] = 5.0
=== given_dict_global
G = {'a': 1.0}
def step(x, l):
    return x * G['a'], l['a']
--- call
torch.ones(3), (G if n == 0 else {'a': 1.0})
--- change 3
G['a'] = 5.0
=== given_lists_same
def step(x, a, b):
    return x * (2 if a is b else 3)
--- call
torch.ones(3), *((lambda l: (l, l))([1.0]) if n % 2 else ([1.0], [1.0]))
=== given_list_is_global
G = [1.0]
def step(x, a):
    return x * (2 if a is G else 3)
--- call
torch.ones(3), (G if n % 2 else [1.0])
=== given_tuple_is_global
G = (1.0, 2.0)
def step(x, a):
    return x * (2 if a is G else 3)
--- call
torch.ones(3), (G if n % 2 else tuple([1.0, 2.0]))
=== given_set_changes
s = {1, 2}
def step(x, s):
    return x * len(s)
--- call
torch.ones(3), s
--- change 3
s.add(7)
=== given_list_subclass
class L(list):
    pass
l = L([1.0, 2.0])
def step(x, l):
    return x * sum(l)
--- call
torch.ones(3), l
--- change 3
l.append(7.0)
=== given_dict_subclass
class D(dict):
    pass
l = D(a=1.0)
def step(x, l):
    return x * l['a']
--- call
torch.ones(3), l
--- change 3
l['a'] = 7.0
=== given_counter
l = collections.Counter('aab')
def step(x, l):
    return x * l['a']
--- call
torch.ones(3), l
--- change 3
l['a'] = 7
=== given_deque
l = collections.deque([1.0, 2.0], maxlen=3)
def step(x, l):
    return x * l[0], l.maxlen
--- call
torch.ones(3), (l if n % 2 else collections.deque([1.0, 2.0], maxlen=n + 3))
--- change 3
l[0] = 7.0
=== given_dict_key_types
def step(x, d):
    return x * 2, [type(k).__name__ for k in d], list(d)
--- call
torch.ones(3), ({1: 5.0} if n % 3 == 0 else {True: 5.0} if n % 3 == 1 else {1.0: 5.0})
=== given_dict_order
def step(x, d):
    return x * 2, list(d)
--- call
torch.ones(3), ({'a': 5.0, 'b': 5.0} if n % 2 else {'b': 5.0, 'a': 5.0})
=== given_kwargs_order
def step(x, **d):
    return x * 2, list(d)
--- call
torch.ones(3), **({'a': 5.0, 'b': 5.0} if n % 2 else {'b': 5.0, 'a': 5.0})
=== given_defaultdict
def step(x, d):
    return x * 2, d.default_factory is None, type(d).__name__
--- call
torch.ones(3), collections.defaultdict((int, None, list)[n % 3], a=1.0)
=== given_ordered
def step(x, d):
    return x * 2, type(d).__name__
--- call
torch.ones(3), (collections.OrderedDict(a=1.0) if n % 2 == 0 else {'a': 1.0})
=== given_namedtuple_types
P = collections.namedtuple('P', 'a b')
Q = collections.namedtuple('Q', 'a b')
def step(x, d):
    return x * d.a, type(d).__name__
--- call
torch.ones(3), (P(1.0, 2.0) if n % 2 == 0 else Q(1.0, 2.0))
=== given_pytree
class Pt:
    def __init__(self, t, scale):
        self.t, self.scale = t, scale
try:
    torch.utils._pytree.register_pytree_node(Pt, lambda p: ([p.t], None), lambda c, _: Pt(c[0], 1.0))
except ValueError:
    pass
def step(p):
    return p.t * p.scale
--- call
Pt(torch.ones(3), n + 1.0)
=== given_float_zero: compiles
def step(x, s):
    return x * s, math.copysign(1.0, s)
--- call
torch.ones(3), (0.0 if n % 2 else -0.0)
=== given_one_true: compiles
def step(x, s):
    return x * s, type(s).__name__
--- call
torch.ones(3), (1, True, 1.0)[n % 3]
=== given_stride
def step(x):
    return x * 2, x.stride()
--- call
torch.ones(1, 3) if n % 2 else torch.ones(2, 6)[:1, :3]
=== given_offset
def step(x):
    return x * 2, x.storage_offset()
--- call
torch.ones(3) if n % 2 else torch.ones(6)[2:5]
=== given_as_strided
def step(x):
    return x.as_strided((2,), (1,), 0) * 2
--- call
torch.arange(3.0) if n % 2 else torch.arange(6.0)[2:5]
=== given_as_strided2
def step(x):
    return torch.as_strided(x, (2,), (1,)) * 2
--- call
torch.arange(3.0) if n % 2 else torch.arange(6.0)[2:5]
=== given_alias
def step(a, b):
    a.add_(1)
    return a + b
--- call
*((lambda t: (t[:3], t[1:4]))(torch.arange(5.0)) if n % 2 else (torch.arange(3.0), torch.arange(3.0))),
=== given_same_tensor: compiles
def step(a, b):
    return a * (2 if a is b else 3)
--- call
*((lambda t: (t, t))(torch.arange(3.0)) if n % 2 else (torch.arange(3.0), torch.arange(3.0))),
=== given_expanded
def step(a):
    return a * 2, a.stride(), a.is_contiguous()
--- call
torch.ones(1).expand(3) if n % 2 else torch.ones(3)
=== given_requires_grad: compiles
def step(a):
    y = a * 2
    return y, a.requires_grad, y.requires_grad
--- call
torch.ones(3, requires_grad=bool(n % 2))
=== given_none: compiles
def step(a, b=None):
    return a * 2 if b is None else a + b
--- call
torch.ones(3), *((None,) if n % 3 == 0 else (torch.ones(3),) if n % 3 == 1 else ())
=== given_conj
def step(a):
    return a * 2, a.is_conj()
--- call
torch.ones(3, dtype=torch.complex64).conj() if n % 2 else torch.ones(3, dtype=torch.complex64)
=== given_bytes: compiles
def step(x, b):
    return x * len(b), b + b'!'
--- call
torch.ones(3), (b'ab', b'abc', b'ab')[n % 3]
=== given_bytearray
b = bytearray(b'ab')
def step(x, b):
    return x * b[0]
--- call
torch.ones(3), b
--- change 3
b[0] = 5
=== given_range: compiles
def step(x, r):
    return x * sum(r)
--- call
torch.ones(3), range(4)
=== given_object_same: compiles
class C:
    def __init__(self): self.a = 1.0
c = C()
def step(x, c):
    return x * c.a
--- call
torch.ones(3), c
--- change 3
c.a = 4.0
=== given_nan:
def step(x, s):
    return x * s
--- call
torch.ones(3), float('nan')
=== given_slice: compiles
def step(x, s):
    return x[s] * 2
--- call
torch.ones(3), slice(0, 2)
=== given_lit_tuple: compiles
D = ()
def step(x, a, b=()):
    return x * len(a), D + b
--- call
torch.ones(3), ()
=== given_list_is_changed
G = [1.0]
def step(x, l):
    G.append(2.0)
    return x * len(l)
--- call
torch.ones(3), ([5.0] if n < 2 else G if n == 3 else [7.0])
--- change
G[:] = [1.0]
=== given_dict_is_changed
G = {'a': 1.0}
def step(x, l):
    G['a'] = 5.0
    return x * l['a']
--- call
torch.ones(3), ({'a': 1.0} if n < 2 else G if n == 3 else {'a': 1.0})
--- change
G['a'] = 1.0
=== given_grad_other
p = torch.ones(3, requires_grad=True)
p.grad = torch.full((3,), 2.0)
other = torch.full((3,), 5.0)
def step(p, g):
    return p.detach() * 2 + g
--- call
p, (p.grad if n == 0 else other)
=== given_grad_other2
p = torch.ones(3, requires_grad=True)
p.grad = torch.full((3,), 2.0)
other = torch.full((3,), 5.0)
def step(g, p):
    return p.detach() * 2 + g + p.grad
--- call
(p.grad if n == 0 else other), p
=== global_grad_kept
p = torch.ones(3, requires_grad=True)
p.grad = torch.full((3,), 2.0)
G = p.grad
def step(x):
    return x * G + p.grad
--- change 3
p.grad = torch.full((3,), 7.0)
=== global_grad_kept2
p = torch.ones(3, requires_grad=True)
p.grad = torch.full((3,), 2.0)
G = p.grad
def step(x):
    return x * p.grad + G
--- change 3
p.grad = torch.full((3,), 7.0)
=== grad_is: compiles
p = torch.ones(3, requires_grad=True)
q = torch.ones(3, requires_grad=True)
p.grad = torch.full((3,), 2.0)
q.grad = torch.full((3,), 2.0)
def step(x):
    return x * (2 if p.grad is q.grad else 3) + p.grad
--- change 3
p.grad = torch.full((3,), 7.0)
=== given_param_of_module: compiles
m = nn.Linear(3, 3)
with torch.no_grad():
    for p in m.parameters(): p.fill_(0.5)
def step(x, w):
    return m(x) + w.sum()
--- call
torch.ones(3), m.weight
=== given_param_of_module_sometimes: compiles
m = nn.Linear(3, 3)
with torch.no_grad():
    for p in m.parameters(): p.fill_(0.5)
w = torch.ones(3, 3, requires_grad=True)
def step(x, w):
    return m(x) + w.sum()
--- call
torch.ones(3), (m.weight if n % 2 else w)
=== given_namedtuple_attrs
class P(collections.namedtuple('P', 'a b')):
    pass
def make(k):
    p = P(torch.ones(3), 1.0)
    p.c = k
    return p
def step(p):
    return p.a * p.c
--- call
make(n + 1.0)
=== given_return_type: compiles
def step(m):
    return m.values * 2, m.indices
--- call
torch.max(torch.arange(6.0).view(2, 3) + n, 1)
=== given_namedtuple_plain
P = collections.namedtuple('P', 'a b')
def step(p):
    return p.a * p.b, p
--- call
P(torch.ones(3) * n, 2.0)
=== given_typing_nt: compiles
class P(typing.NamedTuple):
    a: typing.Any
    b: float = 2.0
    def f(self): return self.a * self.b
def step(p):
    return p.f()
--- call
P(torch.ones(3) * n)
=== given_dict_obj_keys
class K:
    def __init__(self, v): self.v = v
    def __eq__(self, o): return True
    def __hash__(self): return 1
def step(d):
    return [t * k.v for k, t in d.items()]
--- call
{K(n + 1.0): torch.ones(3)}
=== given_int_keys: compiles
def step(d):
    return [t * k for k, t in d.items()]
--- call
{0: torch.ones(3), n % 2 + 1: torch.ones(3)}
=== given_nested: compiles
def step(d):
    return d['a'][0] * d['b']['c'] + d['a'][1][0]
--- call
{'a': [torch.ones(3) * n, (torch.ones(3),)], 'b': {'c': 2.0 + n % 2}}
=== given_star: compiles
def step(*a, **k):
    return sum(a) * len(a) + sum(k.values())
--- call
*[torch.ones(3)] * (n % 3 + 1), **{'k%d' % i: torch.ones(3) for i in range(n % 2)}
=== given_list_returned
def step(x, l):
    return x * 2, l
--- call
torch.ones(3), [1.0]
=== given_list_stored
G = []
def step(x, l):
    G.append(l)
    return x * 2
--- call
torch.ones(3), [1.0 + n]
--- state
list(G)
=== given_list_mutated
def step(x, l):
    l.append(x * 2)
    return x * 2
--- call
torch.ones(3), [1.0 + n]
=== given_set_literal
def step(x, s):
    return x * len(s)
--- call
torch.ones(3), {1, 2, n % 2}
=== given_frozenset
def step(x, s):
    return x * len(s)
--- call
torch.ones(3), frozenset({1, 2, n % 2})
=== given_list_dict_sub_read_type: compiles
class D(dict): pass
d = D(a=1.0)
def step(x, d):
    return x * d['a'], type(d).__name__
--- call
torch.ones(3), (d if n % 2 else {'a': 1.0})
=== given_inference
with torch.inference_mode():
    t = torch.ones(3)
def step(x):
    return x.clone(), x.is_inference(), torch.is_inference(x)
--- call
t if n % 2 else torch.ones(3)
=== given_deque_new: compiles
def step(x, d):
    return x * sum(d), len(d)
--- call
torch.ones(3), collections.deque([1.0, 2.0])
=== given_deque_global
G = collections.deque([1.0, 2.0])
def step(x, d):
    return x * sum(d) + G[0]
--- call
torch.ones(3), (G if n == 0 else collections.deque([1.0, 2.0]))
--- change 3
G[0] = 5.0
=== given_class
class A: k = 2.0
class B: k = 3.0
def step(x, c):
    return x * c.k
--- call
torch.ones(3), (A, B)[n % 2]
=== given_function: compiles
def step(x, f):
    return f(x)
def g(x): return x * 2
--- call
torch.ones(3), (torch.exp, g)[n % 2]
=== given_lambda_each
def step(x, f):
    return f(x)
--- call
torch.ones(3), (lambda k: lambda x: x * k)(n + 1)
=== given_tensor_in_object
class C: pass
c = C()
c.t = torch.ones(3)
def step(x, c):
    return x + c.t
--- call
(c.t if n == 2 else torch.arange(3.0)), c
--- change 4
c.t = torch.zeros(3)
=== given_same_in_list: compiles
def step(x, l):
    x.add_(1)
    return l[0] * 2
--- call
*((lambda t: (t, [t]))(torch.ones(3)) if n % 2 else (torch.ones(3), [torch.ones(3)])),
''')
