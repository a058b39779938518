"""Programs that look for absent gradients or assign what is there already."""

from __future__ import annotations

from .programs import read

PROGRAMS = read(r'''
=== grad_present_check: compiles
w = torch.ones(3, requires_grad=True)
w.grad = torch.ones(3)
def step(x):
    return x * (2 if w.grad is None else 3)
--- change 3
w.grad = None
--- change 5
w.grad = torch.ones(3)
=== grad_of_argument: compiles
def given(grad):
    w = torch.ones(3, requires_grad=True)
    w.grad = grad
    return w
def step(x, w):
    return x * (2 if w.grad is None else 3)
--- call
torch.ones(3), given(torch.ones(3) if n % 2 else None)
=== grad_of_argument_that_is_no_tensor: compiles
def step(x, w=None):
    if w is None: return x
    (w * x).sum().backward()
    return w.grad
--- call
torch.ones(3) + n, torch.ones(3, requires_grad=True) if n % 3 else None
=== grad_of_item_that_is_no_tensor: compiles
def step(d):
    w = d['w']
    if isinstance(w, (float, str)): return d['x'] * 2
    return d['x'] * (2 if w.grad is None else 3)
--- call
{'x': torch.ones(3) + n, 'w': torch.ones(3, requires_grad=True) if n % 2 else [2.0, 'a'][n > 3]}
=== grad_of_gradient_that_is_absent: compiles
w = torch.ones(3, requires_grad=True)
def step(x):
    if w.grad is None: return x
    return x + (w.grad if w.grad.grad is None else w.grad.grad)
--- change 2 5
w.grad = torch.ones(3, requires_grad=True); w.grad.grad = torch.ones(3)
--- change 3
w.grad.grad = None
--- change 4 6
w.grad = None
=== grad_count: compiles
m = nn.Linear(3, 3)
def step(x):
    return x * sum(p.grad is not None for p in m.parameters())
--- change 2
m.weight.grad = torch.ones(3, 3)
--- change 4
m.zero_grad()
=== grad_truthy_list: compiles
ps = [torch.ones(3, requires_grad=True) for _ in range(3)]
def step(x):
    gs = [p.grad for p in ps if p.grad is not None]
    return x * len(gs) + sum(g.sum() for g in gs)
--- change 2
ps[1].grad = torch.ones(3)
--- change 5
ps[1].grad = None
=== clip_norm_absent: compiles
ps = [torch.ones(3, requires_grad=True) for _ in range(3)]
def step(x):
    ps[0].grad = None
    (ps[0] * x).sum().backward()
    return torch.nn.utils.clip_grad_norm_(ps, 1e9)
--- change 3
ps[1].grad = torch.ones(3) * 100
--- change 5
ps[1].grad = None
=== optimizer_absent_grad: compiles
ps = [torch.ones(3, requires_grad=True) for _ in range(2)]
o = torch.optim.SGD(ps, lr=0.1)
def step(x):
    ps[0].grad = None
    (ps[0] * x).sum().backward()
    o.step()
    return x * 2
--- change 3
ps[1].grad = torch.ones(3)
--- change 5
ps[1].grad = None
--- state
list(ps)
=== optimizer_adam_absent_grad: compiles
ps = [torch.ones(3, requires_grad=True) for _ in range(2)]
o = torch.optim.Adam(ps, lr=0.1)
def step(x):
    ps[0].grad = None
    (ps[0] * x).sum().backward()
    o.step()
    return x * 2
--- change 3
ps[1].grad = torch.ones(3)
--- change 5
ps[1].grad = None
--- state
list(ps)
=== zero_grad_keeps: compiles
ps = [torch.ones(3, requires_grad=True) for _ in range(2)]
o = torch.optim.SGD(ps, lr=0.1)
def step(x):
    o.zero_grad(set_to_none=False)
    (ps[0] * x).sum().backward()
    o.step()
    return x * 2
--- change 3
ps[1].grad = torch.ones(3)
--- state
list(ps), [p.grad for p in ps]
=== grad_hasattr: compiles
w = torch.ones(3, requires_grad=True)
def step(x):
    return x * (2 if getattr(w, 'grad', None) is None else 3), isinstance(w.grad, torch.Tensor)
--- change 3
w.grad = torch.ones(3)
=== grad_match: compiles
w = torch.ones(3, requires_grad=True)
def step(x):
    match w.grad:
        case None: return x * 2
        case g: return x * 3
--- change 3
w.grad = torch.ones(3)
=== grad_or
w = torch.ones(3, requires_grad=True)
def step(x):
    g = w.grad
    l = [g, 1]
    return x * 2, l[0] is None, g is l[0], type(g).__name__
--- change 3
w.grad = torch.ones(3)
=== grad_result: compiles
w = torch.ones(3, requires_grad=True)
def step(x):
    return w.grad, x * 2
--- change 3
w.grad = torch.ones(3)
=== assigns_same: compiles
s = {'a': 0, 'b': None}
class C: pass
c = C(); c.k = 1
def step(x):
    s['a'] = 0
    s['b'] = None
    c.k = 1
    return x * 2
--- change 2
s['a'] = 5; s['b'] = 3; c.k = 9
--- state
dict(s), c.k
=== assigns_same_cell: compiles
def make():
    k = 1
    def f(x):
        nonlocal k
        k = 1
        return x * 2
    def put():
        nonlocal k
        k = 5
    return f, put, lambda: k
step, put, get = make()
--- change 3
put()
--- state
get()
=== assigns_same_global: compiles
flag = False
def step(x):
    global flag
    flag = False
    return x * 2
--- change 3
flag = True
--- state
flag
=== assigns_same_class: compiles
class C:
    k = 1
    __slots__ = ('z',)
c = C(); c.z = 1
def step(x):
    C.k = 1
    c.z = 1
    return x * 2
--- change 3
C.k = 4; c.z = 5
--- state
C.k, c.z
=== assigns_same_list: compiles
l = [1, 2]
def step(x):
    l[0] = 1
    return x * 2
--- change 3
l[0] = 4
--- state
list(l)
=== assigns_same_tensor: compiles
t = torch.ones(3)
u = torch.zeros(3)
s = {'a': t}
def step(x):
    s['a'] = t
    return x * 2
--- change 3
s['a'] = u
--- state
s['a'] is t
=== assigns_then_restores: compiles
class C: pass
c = C(); c.k = 1
def step(x):
    old = c.k
    c.k = 5
    y = x * c.k
    c.k = old
    return y
--- change 3
c.k = 7
--- state
c.k
=== reset_after_branch: compiles
s = {'n': 3, 'k': 0}
def step(x):
    s['n'] -= 1
    if s['n'] == 0:
        s['n'] = 3
        s['k'] += 1
    return x * 2
--- state
dict(s)
=== training_flag: compiles
m = nn.Dropout(0.0)
def step(x):
    m.train()
    return m(x)
--- change 3
m.eval()
--- state
m.training
=== list_sort_mutating_key
l = [3, 1, 2]
def key(v):
    seen.append(len(l))
    return v
seen = []
def step(x):
    l.sort(key=key)
    return x * l[0]
--- state
list(l), list(seen)
=== grad_none_check: compiles
w = torch.ones(3, requires_grad=True)
def step(x):
    return x * (2 if w.grad is None else 3)
--- change 3
w.grad = torch.ones(3)
--- change 5
w.grad = None
=== scheduler_step: compiles
w = torch.ones(3, requires_grad=True)
o = torch.optim.SGD([w], lr=0.1)
s = torch.optim.lr_scheduler.StepLR(o, 2, 0.5)
def step(x):
    o.zero_grad()
    (w * x).sum().backward()
    o.step()
    s.step()
    return x * 2
--- change 3
s.gamma = 0.1
--- state
w, o.param_groups[0]['lr'], s.last_epoch
=== absence_early_stop:
s = {'bad': 0, 'best': 1e9}
def step(x):
    v = float(x.mean())
    if v < s['best']:
        s['best'] = v
        s['bad'] = 0
    else:
        s['bad'] += 1
    return s['bad'] >= 2, x * 2
--- call
torch.ones(3) * (3, 2, 2, 2, 1, 1, 1)[n]
--- state
dict(s)
=== grad_of_a_tensor_that_requires_none: compiles
w = torch.ones(3)
def step(x): return x * 2 if w.grad is None else x * w.grad
--- change 2
w.grad = torch.full((3,), 5.0)
--- change 4
w.grad = None
=== slot_that_is_not_set: compiles
class Scaled:
    __slots__ = ("scale",)
    def __getattr__(self, name): return 3.0
o = Scaled()
def step(x): return x * getattr(o, "scale", 1.0), hasattr(o, "scale")
--- change 2
o.scale = 11.0
--- change 4
del o.scale
=== property_that_finds_nothing: compiles
class Scaled:
    @property
    def scale(self): return self.held
    def __getattr__(self, name):
        if name == "scale": return 3.0
        raise AttributeError(name)
o = Scaled()
def step(x): return x * getattr(o, "scale", 1.0), hasattr(o, "scale"), hasattr(o, "held")
--- change 2
o.held = 11.0
--- change 4
del o.held
=== property_that_finds_nothing_alone: compiles
class Scaled:
    @property
    def scale(self): return self.held
o = Scaled()
def step(x): return x * getattr(o, "scale", 1.0), hasattr(o, "scale")
--- change 2
o.held = 11.0
=== absent_in_a_module_that_then_answers_all: compiles
mod = types.ModuleType('mod')
def step(x):
    if hasattr(mod, 'late'): x = x * 5
    return x * getattr(mod, 'later', 3)
--- change 3
mod.__getattr__ = lambda name: 2
''')
