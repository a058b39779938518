"""Programs of many families, one of each: identities, errors, generators, dispatch, kinds of numbers."""

from __future__ import annotations

from .programs import read

PROGRAMS = read(r'''
=== contextmanager_error: compiles
G = []
@contextlib.contextmanager
def cm():
    try:
        yield
    except ValueError as e:
        G.append(str(e))
def step(x):
    with cm():
        raise ValueError('q')
    return x * 2
--- state
list(G)
=== redirect_stdout
def step(x):
    b = io.StringIO()
    with contextlib.redirect_stdout(b):
        print('hi')
    return x * 2, b.getvalue()
=== finally_return: compiles
log = []
def f(x):
    try:
        return x * 2
    finally:
        log.append('f')
        return x * 3
def step(x):
    return f(x)
--- state
list(log)
=== error_notes
def step(x):
    try:
        try:
            raise ValueError('a')
        except ValueError as e:
            e.add_note('n1')
            e.k = 3
            raise
    except ValueError as e:
        return x * e.k, e.__notes__, e.args
=== error_after_effects: raises
d = {'n': 0}
t = torch.zeros(3)
def step(x):
    d['n'] += 1
    t.add_(1)
    print('before')
    if d['n'] % 3 == 0:
        raise ValueError(d['n'])
    d['m'] = d['n']
    return x * 2
--- state
dict(d), t
=== match_all: compiles
@dataclasses.dataclass
class P:
    a: int
    b: int
class Q:
    __match_args__ = ('u',)
    def __init__(self, u): self.u = u
G = [P(1, 2)]
def f(v):
    match v:
        case P(1, b=k): return k
        case P(a, b) if a > b: return 10
        case Q(u): return u
        case [a, *r]: return len(r) + a
        case {'k': k, **r}: return k + len(r)
        case 1 | 2: return 50
        case str() as s: return len(s)
        case None: return 60
        case _: return 70
def step(x):
    return x * f(G[0])
--- change 1
G[0] = P(5, 2)
--- change 2
G[0] = Q(4)
--- change 3
G[0] = [1, 2, 3]
--- change 4
G[0] = {'k': 2, 'z': 1}
--- change 5
G[0] = 'abc'
--- change 6
G[0] = None
=== generator_throw: compiles
log = []
def g():
    try:
        yield 1
    except ValueError:
        log.append('v')
        yield 2
    finally:
        log.append('f')
def step(x):
    it = g()
    next(it)
    k = it.throw(ValueError)
    it.close()
    return x * k
--- state
list(log)
=== singledispatchmethod
class C:
    @functools.singledispatchmethod
    def f(self, v): return 1
    @f.register
    def _(self, v: int): return 2
c = C()
def step(x):
    return x * c.f(3)
=== partialmethod: compiles
class C:
    def f(self, a, b): return a * b * self.k
    g = functools.partialmethod(f, 2)
    k = 3
c = C()
def step(x):
    return x * c.g(4)
--- change 3
c.k = 1
=== family_total_ordering: compiles
@functools.total_ordering
class C:
    def __init__(self, v): self.v = v
    def __lt__(self, o): return self.v < o.v
    def __eq__(self, o): return self.v == o.v
a, b = C(1), C(2)
def step(x):
    return x * 2, a <= b, a > b, a >= b, max(a, b).v, a != b
--- change 3
a.v = 3
=== family_module_getattr
m = types.ModuleType('mm')
sys.modules['mm'] = m
K = {'v': 2}
m.__getattr__ = lambda n: K['v'] if n == 'foo' else (_ for _ in ()).throw(AttributeError(n))
def step(x):
    import mm
    from mm import foo
    return x * mm.foo + foo
--- change 3
K['v'] = 3
--- change 5
m.foo = 9
--- after
del sys.modules['mm']
=== import_missing
def step(x):
    try:
        import does_not_exist_mm
    except ImportError:
        return x * 2
    return x * does_not_exist_mm.v
--- change 3
sys.modules['does_not_exist_mm'] = types.SimpleNamespace(v=5)
--- after
sys.modules.pop('does_not_exist_mm', None)
=== is_float:
a = 1.5
def step(x, b):
    return x * (2 if a is b else 3)
--- call
torch.ones(3), (a if n % 2 else float('1.5'))
=== is_str
a = 'ab cd'
def step(x, b):
    return x * (2 if a is b else 3)
--- call
torch.ones(3), (a if n % 2 else ''.join(['ab', ' cd']))
=== is_small_tuple
a = (1, 2)
def step(x):
    b = (1, 2)
    return x * (2 if a is b else 3), b is b
=== same_list_returned
L = [1]
def step(x):
    L[0] = 2
    return L, x * 2, L
--- state
L
=== fresh_list_twice
def step(x):
    l = [x * 2]
    return l, l
=== alias_state_result: compiles
d = {}
def step(x):
    y = x * 2
    d['y'] = y
    return y, d['y'] is y
--- change 3
d['y'].add_(100)
--- state
d['y']
=== state_view: compiles
t = torch.zeros(4)
def step(x):
    v = t[:3]
    v.add_(x)
    return v, t
--- change 3
t.zero_()
--- state
t
=== np_array_inside:
def step(x):
    a = np.arange(3.0)
    a[0] = 5
    return x * torch.tensor(a), a.sum()
=== zero_d_list_index: compiles
i = torch.tensor(1)
L = [1, 2, 3]
def step(x):
    return x * L[i]
--- change 3
i.fill_(2)
=== zero_d_range: compiles
i = torch.tensor(2)
def step(x):
    for k in range(i): x = x * 2
    return x
--- change 3
i.fill_(3)
=== dtype_change: compiles
def step(x):
    return x * 2, x.dtype, x.is_floating_point()
--- call
torch.ones(3, dtype=(torch.float32, torch.float64, torch.int64)[n % 3])
=== big_scalars: compiles
def step(x, k):
    return x * k, k * 2
--- call
torch.ones(3, dtype=torch.float64), (1e308, -1e308, 2 ** 40, -2 ** 40, 1e-320, True, 0)[n]
=== big_int: compiles
def step(x, k):
    return x * 2, k * k, k % 7
--- call
torch.ones(3), 2 ** 100 + n % 2
=== int_overflow: compiles
def step(x, k):
    return x * k, x + k
--- call
torch.tensor([127, 1], dtype=torch.int8), n + 1
=== empty_tensors: compiles
def step(x):
    return x * 2, x.sum(), x.shape, torch.cat([x, x])
--- call
torch.ones(0, 3) if n % 2 else torch.ones(2, 3)
=== print_object
class C:
    def __repr__(self): return f'C{G}'
G = 1
def step(x):
    print(C(), [C()])
    return x * 2
--- change 3
G = 2
=== new_singleton: compiles
class S:
    inst = None
    def __new__(cls):
        if cls.inst is None:
            cls.inst = super().__new__(cls)
            cls.inst.n = 0
        return cls.inst
    def __init__(self): self.n += 1
def step(x):
    s = S()
    return x * 2, s.n, s is S()
--- state
S.inst.n
=== meta_call_singleton: compiles
class M(type):
    cache = {}
    def __call__(cls, *a):
        if cls not in M.cache: M.cache[cls] = super().__call__(*a)
        return M.cache[cls]
class C(metaclass=M):
    def __init__(self, v): self.v = v
def step(x):
    return x * C(3).v
--- change 3
C(1).v = 8
--- state
len(M.cache)
=== protocol
@typing.runtime_checkable
class P(typing.Protocol):
    def f(self): ...
class C: pass
c = C()
def step(x):
    return x * (2 if isinstance(c, P) else 3)
--- change 3
C.f = lambda self: 1
=== generic_class: compiles
T = typing.TypeVar('T')
class Box(typing.Generic[T]):
    def __init__(self, v): self.v = v
    def get(self): return self.v
def step(x):
    return x * Box(3).get() + Box[int](2).v
=== del_object
log = []
class C:
    def __del__(self): log.append(1)
def step(x):
    c = C()
    del c
    return x * 2
--- state
len(log)
=== user_hash_key
class K:
    def __init__(self, v): self.v = v
    def __eq__(self, o): return self.v == o.v
    def __hash__(self): return hash(self.v)
d = {K(1): 2.0}
def step(x):
    return x * d[K(1)]
--- change 3
d[K(1)] = 5.0
=== slots_missing: compiles
class C:
    __slots__ = ('a', 'b')
c = C()
c.a = 2
def step(x):
    return x * c.a * getattr(c, 'b', 1)
--- change 3
c.b = 4
--- change 5
del c.b
=== weird_getattribute: compiles
class C:
    def __init__(self): self.a = 2
    def __getattribute__(self, n):
        if n == 'b': return G
        return object.__getattribute__(self, n)
G = 4
c = C()
def step(x):
    return x * c.a + c.b
--- change 3
G = 8
''')
