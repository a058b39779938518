"""Programs with metaclasses, enumerations and descriptors that answer for themselves."""

from __future__ import annotations

from .programs import read

PROGRAMS = read(r'''
=== meta_eq
G = 1
class M(type):
    def __eq__(cls, o): return G > 1
    def __hash__(cls): return 1
class A(metaclass=M): pass
class B(metaclass=M): pass
def step(x):
    return x * (2 if A == B else 3)
--- change 3
G = 2
=== meta_bool
G = 1
class M(type):
    def __bool__(cls): return G > 1
class A(metaclass=M): pass
def step(x):
    return x * (2 if A else 3)
--- change 3
G = 2
=== meta_hash
G = []
class M(type):
    def __hash__(cls):
        G.append(1)
        return 1
class A(metaclass=M): pass
def step(x):
    return x * 2, {A: 1}[A], hash(A)
--- state
len(G)
=== meta_getitem
G = 1
class M(type):
    def __getitem__(cls, k): return k * G
class A(metaclass=M): pass
def step(x):
    return x * A[2]
--- change 3
G = 4
=== meta_setter
log = []
class M(type):
    @property
    def p(cls): return 1
    @p.setter
    def p(cls, v): log.append(v)
class A(metaclass=M): pass
def step(x):
    A.p = 4
    return x * 2
--- state
list(log)
=== meta_instancecheck_new
log = []
class M(type):
    def __instancecheck__(cls, o):
        log.append(1)
        return True
class A(metaclass=M):
    def __new__(cls):
        return object.__new__(cls)
    def __init__(self): self.v = 2
def step(x):
    return x * A().v
--- state
list(log)
=== meta_contains: compiles
class M(type):
    def __contains__(cls, o): return o in cls.items
class A(metaclass=M):
    items = [1]
def step(x):
    return x * (2 if 1 in A else 3)
--- change 3
A.items = [2]
=== meta_len_iter: compiles
class M(type):
    def __len__(cls): return len(cls.items)
    def __iter__(cls): return iter(cls.items)
class A(metaclass=M):
    items = [1, 2]
def step(x):
    return x * len(A) + sum(A)
--- change 3
A.items = [2]
=== enum_eq
G = 1
class C(enum.Enum):
    A = 1
    B = 2
    def __eq__(self, o): return G > 1
    def __hash__(self): return 3
def step(x):
    return x * (2 if C.A == C.B else 3)
--- change 3
G = 2
=== enum_lt
G = 1
class C(enum.Enum):
    A = 1
    B = 2
    def __lt__(self, o): return (self.value < o.value) is (G == 1)
def step(x):
    return x * sorted([C.B, C.A])[0].value, min(C.A, C.B).value, C.A < C.B
--- change 3
G = 2
=== enum_contains
G = 1
class C(enum.Enum):
    A = 1
    B = 2
    def __eq__(self, o): return G > 1
    def __hash__(self): return 3
L = [C.A]
def step(x):
    return x * (2 if C.B in L else 3), L.count(C.B)
--- change 3
G = 2
=== enum_hash
G = []
class C(enum.Enum):
    A = 1
    B = 2
    def __hash__(self):
        G.append(1)
        return 3
D = {C.A: 2.0}
def step(x):
    return x * D[C.A], hash(C.A)
--- state
len(G)
=== enum_str
G = 1
class C(enum.Enum):
    A = 1
    def __str__(self): return f'{G}'
def step(x):
    return x * 2, '%s' % (C.A,), f'{C.A}', str(C.A), '{}'.format(C.A)
--- change 3
G = 2
=== enum_int
class C(enum.IntEnum):
    A = 1
    B = 2
    def __index__(self): return 2
def step(x):
    return x * [1, 2, 3][C.A], range(C.B)[0], x[C.A]
=== enum_missing
G = {'v': 1}
class C(enum.Enum):
    A = 1
    B = 2
    @classmethod
    def _missing_(cls, v): return cls.A if G['v'] == 1 else cls.B
def step(x):
    return x * C(9).value
--- change 3
G['v'] = 2
=== enum_meta_call
G = [1]
class M(enum.EnumMeta):
    def __call__(cls, *a, **k):
        G.append(1)
        return super().__call__(*a, **k)
class C(enum.Enum, metaclass=M):
    A = 1
def step(x):
    return x * C(1).value
--- state
len(G)
=== enum_flag
class P(enum.Flag):
    R = 1
    W = 2
s = P.R
def step(x):
    return x * (2 if P.R in s else 3), (P.R | P.W).value, bool(P.R & P.W), ~P.R == P.W
--- change 3
s = P.W
=== enum_item: compiles
class C(enum.Enum):
    A = 1
    B = 2
k = 'A'
def step(x):
    return x * C[k].value, C.B.name, len(C), [c.name for c in C], C.A is C['A']
--- change 3
k = 'B'
=== meta_enum_attribute: compiles
class C(enum.Enum):
    A = 1
    B = 2
    def scaled(self): return self.value * self.factor
C.factor = 3
def step(x):
    return x * C.A.scaled()
--- change 3
C.factor = 4
=== enum_intflag_value
class P(enum.IntFlag):
    R = 1
    W = 2
def step(x, p):
    return x * p, p | P.R, p == 2
--- call
torch.ones(3), (P.R, P.W)[n % 2]
=== enum_str_mixin: compiles
class C(str, enum.Enum):
    A = 'a'
    B = 'b'
m = C.A
def step(x):
    return x * (2 if m == 'a' else 3), m.upper(), len(m)
--- change 3
m = C.B
=== data_descriptor_no_get: compiles
class D:
    def __set_name__(self, o, n): self.n = n
    def __set__(self, obj, v): obj.__dict__[self.n] = v * 2
class C:
    v = D()
c = C()
c.v = 3
def step(x):
    return x * c.v
--- change 3
c.v = 4
=== non_data_descriptor: compiles
class D:
    def __get__(self, obj, cls): return obj.w * 2
class C:
    v = D()
c = C()
c.w = 2
def step(x):
    return x * c.v
--- change 3
c.w = 4
--- change 5
c.__dict__['v'] = 7
=== delete_descriptor: compiles
class D:
    def __delete__(self, obj): pass
class C:
    v = D()
c = C()
c.__dict__['v'] = 3
def step(x):
    return x * c.v
--- change 3
c.__dict__['v'] = 5
=== float_subclass_result
class F(float): pass
class C:
    def __float__(self): return 1.5
c = C()
def step(x):
    return x * float(c), type(float(F(2.0))).__name__, type(int(True)).__name__, type(str(S('a'))).__name__
class S(str): pass
=== str_subclass_len: compiles
class S(str):
    def __len__(self): return 7
s = S('abc')
def step(x):
    return x * len(s), bool(s)
=== str_subclass_methods: compiles
class S(str):
    def upper(self): return 'X'
    def __eq__(self, o): return True
    def __hash__(self): return 3
s = S('abc')
def step(x):
    return x * 2, s.upper(), s == 'q', 'q' == s
=== meta_int_subclass: compiles
class I(int):
    def __add__(self, o): return 100
    def __mul__(self, o): return 50
i = I(3)
def step(x):
    return x * (i + 1), i * 2
=== float_subclass_rmul
class I(float):
    def __rmul__(self, o): return 100
i = I(3)
def step(x):
    return x * 2, 2 * i, 2.0 * i
=== classmethod_property: raises
class C:
    k = 2
    @classmethod
    @property
    def p(cls): return cls.k
def step(x):
    return x * C.p
--- change 3
C.k = 4
=== type_name: compiles
class C: pass
def step(x):
    return x * 2, C.__name__, C.__qualname__, C.__module__, C.__doc__
--- change 3
C.__name__ = 'Z'
--- change 4
C.__doc__ = 'd'
=== cached_property_func
class C:
    @functools.cached_property
    def p(self): return 2
def g(self): return 5
def step(x):
    c = C()
    return x * c.p
--- change 3
C.__dict__['p'].func = g
=== staticmethod_call: compiles
class C:
    @staticmethod
    def f(x): return x * G
G = 2
s = C.__dict__['f']
def step(x):
    return s(x) + C.f(x)
--- change 3
G = 4
=== object_new_extra: raises
class C: pass
def step(x):
    return x * 2, type(object.__new__(C, 1)).__name__
=== slots_object: compiles
@dataclasses.dataclass(slots=True)
class C:
    a: float = 1.0
    b: list = dataclasses.field(default_factory=list)
    def __post_init__(self): self.b.append(self.a)
c = C()
def step(x):
    d = C(2.0)
    return x * c.a + d.b[0], len(d.b)
--- change 3
c.a = 3.0
=== dataclass_frozen: compiles
@dataclasses.dataclass(frozen=True, order=True)
class C:
    a: float = 1.0
    b: int = 2
c = C()
def step(x):
    d = C(2.0)
    return x * c.a, c < d, c == C(), c != d, d.b
--- change 3
c = C(3.0)
=== frozen_assign: raises
@dataclasses.dataclass(frozen=True)
class C:
    a: float = 1.0
c = C()
def step(x):
    c.a = 2.0
    return x
=== class_builtin_attribute: compiles
class C:
    f = math.sqrt
    g = len
c = C()
def step(x):
    return x * c.f(4.0) + C.f(9.0) + c.g([1])
--- change 3
C.f = abs
=== int_enum_arith: compiles
class C(enum.IntEnum):
    A = 1
    B = 2
def step(x):
    return (x * C.B + C.A, C.A + C.B, C.A < C.B, C.A == 1, [4, 5, 6][C.A], x[C.A], sorted([C.B,
        C.A])[0].name, {C.A: 3}[1], hash(C.A) == 1)
=== str_enum_key: compiles
class C(str, enum.Enum):
    A = 'a'
D = {'a': 2.0}
def step(x):
    return x * D[C.A], C.A in D, f'{C.A.value}', C.A.value + 'b'
--- change 3
D['a'] = 3.0
=== enum_as_key: compiles
class C(enum.Enum):
    A = 1
    B = 2
D = {C.A: 2.0, C.B: 3.0}
k = C.A
def step(x):
    return x * D[k], [v for v in D if v is C.A]
--- change 3
k = C.B
--- change 5
D[C.B] = 7.0
=== enum_auto_members: compiles
class C(enum.Enum):
    A = enum.auto()
    B = enum.auto()
    @property
    def double(self): return self.value * 2
    @classmethod
    def first(cls): return cls.A
    @staticmethod
    def k(): return 3
def step(x):
    return x * C.B.double + C.first().value * C.k()
=== enum_late_method: compiles
class C(enum.Enum):
    A = 1
def step(x):
    return x * (2 if C.A == C.A else 3)
--- change 3
C.__eq__ = lambda a, b: False
C.__hash__ = lambda a: 1
=== meta_late_bool: compiles
class M(type): pass
class A(metaclass=M): pass
def step(x):
    return x * (2 if A else 3)
--- change 3
M.__bool__ = lambda c: False
=== meta_late_eq: compiles
class M(type): pass
class A(metaclass=M): pass
class B(metaclass=M): pass
def step(x):
    return x * (2 if A == B else 3)
--- change 3
M.__eq__ = lambda c, d: True
M.__hash__ = lambda c: 1
=== descriptor_late_get: compiles
class D:
    def __set__(self, obj, v): obj.__dict__['v'] = v
class C:
    v = D()
c = C()
c.v = 2
def step(x):
    return x * c.v
--- change 3
D.__get__ = lambda s, o, k: 7
=== validator_descriptor: compiles
class Positive:
    def __set_name__(self, owner, name): self.name = name
    def __set__(self, obj, value):
        if value < 0: raise ValueError(self.name)
        obj.__dict__[self.name] = value
class C:
    a = Positive()
    b = Positive()
    def __init__(self, a, b): self.a, self.b = a, b
c = C(1, 2)
def step(x):
    c.a = c.a + 1
    d = C(c.b, 4)
    return x * c.a + d.b
--- change 3
c.b = 5
--- state
c.a, c.b
=== super_alias: compiles
class A:
    def f(self): return 2
class B(A):
    def f(self):
        s = super()
        return s.f() + super(B, self).f()
b = B()
def step(x):
    return x * b.f()
--- change 3
A.f = lambda self: 5
''')
