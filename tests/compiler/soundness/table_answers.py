"""Programs whose special methods answer what Python does not take, or that leave by unusual errors."""

from __future__ import annotations

from .programs import read

PROGRAMS = read(r'''
=== bool_not_bool: raises
class C:
    def __bool__(self): return 1
c = C()
def step(x):
    return x * (2 if c else 3)
=== len_true
class C:
    def __len__(self): return True
c = C()
def step(x):
    return x * 2, len(c)
=== len_float: raises
class C:
    def __len__(self): return 2.5
c = C()
def step(x):
    return x * 2, len(c)
=== len_negative: raises
class C:
    def __len__(self): return -1
c = C()
def step(x):
    return x * 2, len(c)
=== len_truth: raises
class C:
    def __len__(self): return -1
c = C()
def step(x):
    return x * (2 if c else 3)
=== str_not_str: raises
class C:
    def __str__(self): return 3
c = C()
def step(x):
    return x * 2, str(c)
=== repr_not_str: raises
class C:
    def __repr__(self): return None
c = C()
def step(x):
    return x * 2, f'{c!r}'
=== format_not_str: raises
class C:
    def __format__(self, s): return 3
c = C()
def step(x):
    return x * 2, f'{c}'
=== index_not_int: raises
class C:
    def __index__(self): return 1.5
c = C()
def step(x):
    return x * [1, 2][c]
=== int_not_int: raises
class C:
    def __int__(self): return 1.5
c = C()
def step(x):
    return x * int(c)
=== float_not_float: raises
class C:
    def __float__(self): return 1
c = C()
def step(x):
    return x * float(c)
=== contains_not_bool: compiles
class C:
    def __contains__(self, v): return [v]
c = C()
def step(x):
    return x * 2, 1 in c
=== system_exit: raises
d = {'n': 0}
def step(x):
    d['n'] += 1
    print('a')
    raise SystemExit(3)
--- state
dict(d)
=== system_exit_sometimes: raises
d = {'n': 0}
def step(x):
    d['n'] += 1
    if d['n'] == 3:
        raise SystemExit(3)
    return x * 2
--- state
dict(d)
=== stdout_replaced
class W(io.StringIO):
    count = 0
    def write(self, t):
        W.count += 1
        return super().write(t)
real = sys.stdout
def step(x):
    print('a', x.shape)
    return x * 2
--- change 3
sys.stdout = W()
--- change 5
sys.stdout = real
--- state
W.count
--- after
sys.stdout = real
=== traceback_depth
def f(): raise ValueError('a')
def step(x):
    try:
        f()
    except ValueError as e:
        tb, k = e.__traceback__, 0
        while tb is not None:
            tb, k = tb.tb_next, k + 1
    return x * k
=== error_context
class C:
    def __getattr__(self, n): raise KeyError(n)
c = C()
def step(x):
    try:
        c.foo
    except KeyError as e:
        return x * 2, e.__context__ is None, e.__cause__ is None
=== error_context2
def step(x):
    try:
        try:
            {}['a']
        except KeyError:
            raise ValueError('b')
    except ValueError as e:
        return x * 2, type(e.__context__).__name__, e.__suppress_context__
=== recursion_caught
def depth(n):
    try:
        return depth(n + 1)
    except RecursionError:
        return n
def step(x):
    d = depth(0)
    return x * 2, d > 900
=== recursion_deep
def down(n):
    return 0 if n == 0 else 1 + down(n - 1)
def step(x):
    return x * down(600)
=== bound_method_result
class C:
    def f(self): return 1
c = C()
def step(x):
    return x * 2, c.f
=== globals_star
G = 2
def step(x):
    return x * globals(*[])['G']
--- change 3
G = 3
=== raise_existing: raises
E = ValueError('a')
def step(x):
    try:
        raise E
    except ValueError as e:
        return x * 2, e is E
--- state
E.__traceback__ is None, E.__context__ is None
=== base_exception: raises
class Stop(BaseException): pass
d = {'n': 0}
def step(x):
    d['n'] += 1
    try:
        raise Stop(d['n'])
    except Stop as e:
        d['m'] = str(e)
    return x * 2
--- state
dict(d)
=== exit_in_finally: raises
d = {'n': 0}
def step(x):
    try:
        raise SystemExit(1)
    finally:
        d['n'] += 1
--- state
dict(d)
=== bound_builtin_result
l = []
def step(x):
    return x * 2, [].append
--- call
torch.ones(3)
=== method_results:
class C:
    def f(self, x): return x * 2
def step(x):
    c = C()
    return x * 2, c.f
=== partial_result
def f(x, y): return x * y
def step(x):
    return functools.partial(f, x)
=== iterator_result
def step(x):
    return x * 2, iter([1, 2])
=== view_result
d = {'a': 1}
def step(x):
    return x * 2, d.keys(), {'b': x}.values()
=== exception_result
def step(x):
    try:
        {}['a']
    except KeyError as e:
        return x * 2, e
=== class_result: compiles
class C: pass
def step(x):
    return x * 2, C, type(x), torch, len, step
=== partial_inside_vmap: compiles
def f(k, x): return x * k['a']
K = {'a': 2.0}
v = torch.vmap(functools.partial(f, K))
def step(x):
    return v(x)
--- change 3
K['a'] = 5.0
=== sequential_append: compiles
m = nn.Sequential(nn.ReLU())
def step(x):
    return m(x) * 2
--- change 3
m.append(nn.Tanh())
--- change 4
m[0] = nn.Sigmoid()
--- change 5
del m[1]
=== modulelist_insert: compiles
m = nn.ModuleList([nn.ReLU()])
def step(x):
    for l in m: x = l(x)
    return x * 2
--- change 3
m.insert(0, nn.Tanh())
--- change 5
m.extend([nn.Sigmoid()])
=== moduledict_change: compiles
m = nn.ModuleDict({'a': nn.ReLU()})
def step(x):
    for k in m: x = m[k](x)
    return x * len(m)
--- change 3
m['b'] = nn.Tanh()
--- change 5
m.pop('a')
=== module_override_methods: compiles
class M(nn.Linear):
    def extra(self): return 2.0
    def parameters(self, recurse=True):
        yield self.bias
m = M(3, 3)
with torch.no_grad():
    m.weight.fill_(0.5); m.bias.fill_(1.0)
def step(x):
    return m(x) * m.extra() + sum(p.sum() for p in m.parameters())
--- change 3
M.extra = lambda self: 4.0
=== module_getattr: compiles
class M(nn.Module):
    def __init__(self):
        super().__init__()
        self.l = nn.Linear(3, 3)
        with torch.no_grad():
            for p in self.l.parameters(): p.fill_(0.5)
    def __getattr__(self, n):
        try:
            return super().__getattr__(n)
        except AttributeError:
            return getattr(self.l, n)
    def forward(self, x): return self.l(x) + self.bias
m = M()
def step(x):
    return m(x)
--- change 3
m.l.bias = nn.Parameter(torch.zeros(3))
=== module_call_override: compiles
class M(nn.Module):
    def forward(self, x): return x * 2
    def __call__(self, x): return super().__call__(x) + G
G = 1.0
m = M()
def step(x):
    return m(x)
--- change 3
G = 3.0
=== buffer_deleted: compiles
class M(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer('b', torch.ones(3))
    def forward(self, x): return x + (self.b if hasattr(self, 'b') else 5)
m = M()
def step(x):
    return m(x)
--- change 3
del m.b
--- change 5
m.register_buffer('b', torch.zeros(3))
=== buffer_none: compiles
class M(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer('b', None)
    def forward(self, x): return x + (self.b if self.b is not None else 5)
m = M()
def step(x):
    return m(x)
--- change 3
m.b = torch.zeros(3)
=== train_eval: compiles
m = nn.Sequential(nn.BatchNorm1d(3), nn.Dropout(0.0))
def step(x):
    return m(x)
--- call
torch.arange(6.0).view(2, 3) + n
--- change 3
m.eval()
--- change 5
m[0].train()
--- state
m
=== momentum_none_bn: compiles
m = nn.BatchNorm1d(3, momentum=None)
def step(x):
    return m(x)
--- call
torch.arange(6.0).view(2, 3) + n
--- state
m, m.num_batches_tracked
=== state_dict_hook
m = nn.Linear(2, 2)
with torch.no_grad():
    for p in m.parameters(): p.fill_(0.5)
log = []
m._register_state_dict_hook(lambda *a: log.append(1))
def step(x):
    return x * 2, list(m.state_dict())
--- state
len(log)
''')
