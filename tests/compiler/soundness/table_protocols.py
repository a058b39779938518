"""Programs whose user code counts how often it runs: to look whether things changed must not run it."""

from __future__ import annotations

from .programs import read

PROGRAMS = read('''
=== property_counts_reads:
class O:
    reads = []
    @property
    def k(self):
        self.reads.append(1)
        return 2.0
o = O()
def step(x): return x * o.k
--- state
len(O.reads)
=== property_raises_when_not_read: compiles
class O:
    k = 2.0
    @property
    def other(self): raise RuntimeError("must not be read")
o = O()
def step(x): return x * o.k
--- change 3
O.k = 3.0
=== getattr_hook_counts:
log = []
class O:
    def __getattr__(self, name):
        log.append(name)
        return 2.0
o = O()
def step(x): return x * o.k
--- state
log
=== getattribute_hook_counts:
log = []
class O:
    k = 2.0
    def __getattribute__(self, name):
        log.append(name)
        return object.__getattribute__(self, name)
o = O()
def step(x): return x * o.k
--- state
[name for name in log if name == "k"]
=== setattr_hook_counts:
log = []
class O:
    def __setattr__(self, name, v):
        log.append((name, v))
        object.__setattr__(self, name, v)
o = O()
o.k = 1
def step(x):
    o.k = 2
    return x * o.k
--- state
log
=== descriptor_counts:
log = []
class D:
    def __get__(self, o, t):
        log.append("get")
        return 2.0
    def __set__(self, o, v): log.append("set")
class O: k = D()
o = O()
def step(x): return x * o.k
--- state
log
=== equality_counts:
log = []
class O:
    def __eq__(self, other):
        log.append("eq")
        return True
    __hash__ = None
o = O()
def step(x): return x * 2 if o == 1 else x
--- state
log
=== equality_not_asked: compiles
log = []
class O:
    k = 2.0
    def __eq__(self, other):
        log.append("eq")
        return True
    __hash__ = object.__hash__
o, l = O(), [O()]
def step(x): return x * o.k + l[0].k
--- change 3
l[0] = O(); l[0].k = 7.0
--- state
log
=== hash_counts:
log = []
class O:
    def __hash__(self):
        log.append("hash")
        return 1
    def __eq__(self, other): return self is other
o = O()
d = {o: 2.0}
def step(x): return x * d[o]
--- state
len(log)
=== length_counts:
log = []
class O:
    def __len__(self):
        log.append("len")
        return 2
o = O()
def step(x): return x * len(o)
--- state
log
=== length_of_list_subclass_counts:
log = []
class L(list):
    def __len__(self):
        log.append("len")
        return list.__len__(self)
l = L([1.0])
def step(x): return x * len(l)
--- state
log
=== truth_counts:
log = []
class O:
    def __bool__(self):
        log.append("bool")
        return True
o = O()
def step(x): return x * 2 if o else x
--- state
log
=== truth_not_asked: compiles
class O:
    k = 2.0
    def __bool__(self): raise RuntimeError("must not be asked")
o = O()
def step(x): return x * o.k
=== item_hook_counts:
log = []
class D(dict):
    def __getitem__(self, key):
        log.append(key)
        return dict.__getitem__(self, key)
d = D(k=2.0)
def step(x): return x * d["k"]
--- change 3
d["k"] = 3.0
--- state
log
=== missing_hook_counts:
log = []
class D(dict):
    def __missing__(self, key):
        log.append(key)
        return 2.0
d = D()
def step(x): return x * d["k"]
--- state
log
=== iteration_counts:
log = []
class O:
    def __iter__(self):
        log.append("iter")
        return iter([1.0, 2.0])
o = O()
def step(x): return x * sum(o)
--- state
log
=== contains_counts:
log = []
class O:
    def __contains__(self, k):
        log.append(k)
        return True
o = O()
def step(x): return x * 2 if 1 in o else x
--- state
log
=== call_counts:
class O:
    calls = 0
    def __call__(self, x):
        self.calls += 1
        return x * 2
o = O()
def step(x): return o(x)
--- state
o.calls
=== representation_not_asked: compiles
class O:
    k = 2.0
    def __repr__(self): raise RuntimeError("must not be asked")
    __str__ = __repr__
o = O()
def step(x): return x * o.k
--- change 3
o.k = 3.0
=== copy_not_asked: compiles
class O:
    k = 2.0
    def __copy__(self): raise RuntimeError("must not be asked")
    def __deepcopy__(self, memo): raise RuntimeError("must not be asked")
    def __reduce_ex__(self, protocol): raise RuntimeError("must not be asked")
o = O()
def step(x): return x * o.k
--- change 3
o.k = 3.0
=== dict_subclass_not_walked_by_its_methods: compiles
class D(dict):
    def keys(self): raise RuntimeError("must not be asked")
    def items(self): raise RuntimeError("must not be asked")
    def __iter__(self): raise RuntimeError("must not be asked")
d = D(k=2.0)
def step(x): return x * d["k"]
--- change 3
d["k"] = 3.0
=== class_attribute_hidden_by_property:
class O:
    __dict__ = property(lambda self: {"k": 9.0})
    k = 2.0
o = O()
def step(x): return x * o.k
--- change 3
O.k = 3.0
=== class_that_lies_about_its_class:
class A: k = 2.0
class O:
    k = 3.0
    seen_as = A
    @property
    def __class__(self): return self.seen_as
o = O()
def step(x): return x * 2 if isinstance(o, A) else x * o.k
--- change 3
O.seen_as = O
=== iterator_over_dict_kept: raises
d = {"a": 1.0, "b": 2.0}
i = iter(d)
def step(x): return x * d[next(i)]
=== dict_view_kept: compiles
d = {"a": 1.0}
v = d.values()
def step(x): return x * sum(v)
--- change 3
d["b"] = 5.0
=== set_of_tensors_size: compiles
s = {torch.ones(3)}
def step(x): return x * len(s)
--- change 3
s.add(torch.ones(3))
=== name_mangled: compiles
class O:
    def __init__(self): self.__k = 2.0
    def f(self, x): return x * self.__k
o = O()
def step(x): return o.f(x)
--- change 3
o._O__k = 3.0
=== set_name_hook: compiles
class D:
    def __set_name__(self, owner, name): self.name = "_" + name
    def __get__(self, o, t): return getattr(o, self.name)
class O: k = D()
o = O(); o._k = 2.0
def step(x): return x * o.k
--- change 3
o._k = 3.0
=== class_item_hook: compiles
class O:
    k = 2.0
    def __class_getitem__(cls, i): return cls.k * i
def step(x): return x * O[2]
--- change 3
O.k = 3.0
=== metaclass_call_hook: compiles
class T(type):
    k = 2.0
    def __call__(cls): return cls.k
class O(metaclass=T): pass
def step(x): return x * O()
--- change 3
T.k = 3.0
=== new_hook_returns_shared:
class O:
    made = None
    def __new__(cls):
        if cls.made is None: cls.made = object.__new__(cls)
        return cls.made
def step(x):
    o = O()
    o.k = getattr(o, "k", 0) + 1
    return x * o.k
--- state
O.made
=== slots_beside_dict: compiles
class O:
    __slots__ = ("a", "__dict__")
o = O(); o.a, o.b = 2.0, 3.0
def step(x): return x * o.a + o.b
--- change 2
o.b = 4.0
--- change 4
o.a = 5.0
=== total_ordering: compiles
@functools.total_ordering
class O:
    def __init__(self, k): self.k = k
    def __eq__(self, other): return self.k == other.k
    def __lt__(self, other): return self.k < other.k
a, b = O(1), O(2)
def step(x): return x * 2 if a >= b else x * 3
--- change 3
a.k = 5
=== comparison_function: compiles
l = [2.0, 1.0, 3.0]
sign = 1
def step(x):
    for v in sorted(l, key=functools.cmp_to_key(lambda a, b: sign * (a > b) - sign * (a < b))):
        x = x * 2 + v
    return x
--- change 3
sign = -1
=== index_hook: compiles
class I:
    k = 0
    def __index__(self): return self.k
i = I()
l = [2.0, 3.0]
def step(x): return x * l[i]
--- change 3
I.k = 1
=== float_hook: compiles
class R:
    k = 2.0
    def __float__(self): return self.k
r = R()
def step(x): return x * float(r)
--- change 3
r.k = 3.0
=== tensor_array_hooks_of_numbers: raises
class R:
    def __index__(self): return 2
r = R()
def step(x): return torch.ones(r), x
=== in_place_operator_hook:
class O:
    k = 1
    def __iadd__(self, v):
        self.k += v
        return self
o = O()
def step(x):
    global o
    o += 1
    return x * o.k
--- state
o
=== matmul_hook: compiles
class O:
    k = 2.0
    def __rmatmul__(self, x): return NotImplemented
    def __mul__(self, x): return x * self.k
o = O()
def step(x): return o * x
--- change 3
o.k = 3.0
=== user_operators_with_later_numbers: compiles raises
class Meter:
    def __init__(self): self.v, self.n, self.log = 0.0, 0, []
    def __add__(self, o): self.n += 1; self.log.append('add'); return self.v + o
    def __radd__(self, o): self.n += 10; return o + self.v
    def __rsub__(self, o): self.n += 100; self.v = o; return self
    def __lt__(self, o): self.n += 1; return self.v < o
    def __gt__(self, o): self.log.append('gt'); return self.v > o
    def __eq__(self, o): self.log.append('eq'); return self.v == o
    def __mul__(self, o): return NotImplemented
    __rmul__ = __mul__
    def __rpow__(self, o, m=None): return o ** 2
    def __rtruediv__(self, o): return o / (1 + self.n)
    __hash__ = None
m = Meter()
def step(x):
    l = x.sum().item()
    out = [m + l, l + m, l / m, l ** m]
    l - m
    try: l * m
    except TypeError as e: out.append(str(e))
    try: m % l
    except TypeError as e: out.append(str(e))
    if l > m: out.append('smaller')
    if m > l: out.append('larger')
    out.append(l == m); out.append(m != l)
    return out
--- change 3
m.v = 100.0
--- change 5
Meter.__rmul__ = lambda self, o: o * 7
Meter.__lt__ = lambda self, o: NotImplemented
--- change 6
del Meter.__eq__
--- state
m.v, m.n, m.log
=== float_subclass_meets_item: compiles
class Money(float):
    def __add__(self, o): return Money(float(self) + o + 1)
    def __radd__(self, o): log.append(1); return Money(o + float(self) + 2)
    def __lt__(self, o): log.append(2); return True
log = []
m = Money(3.0)
def step(x):
    l = x.sum().item()
    return [float(m + l), float(l + m), l > m]
--- state
log
=== item_in_format_with_user
class P:
    n = 0
    def __str__(self): P.n += 1; return f'P{P.n}'
    def __format__(self, s): P.n += 5; return s + str(P.n)
    def __float__(self): P.n += 7; return 2.0
    def __index__(self): P.n += 9; return 2
p = P()
def step(x):
    l = x.sum().item()
    return '{} {:3}'.format(l, p), '%s %s' % (l, p), f'{l:.2f}{p:x}', ' '.join([str(l), str(p)])
--- change 4
P.__str__ = lambda self: 'q'
--- state
P.n
=== item_math_with_user
class P:
    n = 0
    def __float__(self): P.n += 7; return 2.0
    def __index__(self): P.n += 9; return 2
    def __pow__(self, o, m=None): P.n += 1; return o
    def __rdivmod__(self, o): P.n += 1; return o, 1
p = P()
def step(x):
    l = x.sum().item()
    return math.pow(l, p), math.atan2(p, l), divmod(l, p), pow(p, l), round(l, p), max(l, 2.0)
--- change 4
P.__float__ = lambda self: 3.0
--- state
P.n
=== tuple_with_iter_of_its_own: compiles
class T(tuple):
    def __iter__(self):
        log.append('iter')
        return tuple.__iter__(self)
log, t = [], T((1, 3))
def step(x): return x.reshape(*t)
--- state
log
=== ascii_of_object: compiles
class O:
    def __repr__(self): return 'Größe'
o = O()
def step(x): return ascii(o), f'{o!a}', x
=== class_of_no_class_is_not_asked_for_its_name
log = []
class O:
    def __instancecheck__(self, other): return True
    def __getattr__(self, name):
        log.append(name)
        raise AttributeError(name)
    def __str__(self):
        log.append('str')
        return 'o'
o = O()
def step(x): return isinstance(3, o), x
--- state
log
=== object_that_is_called_and_more_is_given_to_ours
log = []
class P:
    def __getattr__(self, name):
        log.append(name)
        raise AttributeError(name)
    def __call__(self, x): return x * 2
    def __iter__(self):
        log.append('iter')
        return iter([0])
    def __len__(self): return 1
    def __getitem__(self, n): return (0,)[n]
p = P()
def step(x):
    try: return x[p]
    except IndexError as error: return str(error)
--- state
log
=== object_that_is_called_is_named_in_errors: compiles
class P:
    def __call__(self, x): return x
p = P()
def step(x):
    try: return torch.sum(p)
    except TypeError as error: return str(error)
=== object_that_is_called_is_not_asked_for_its_name: compiles
log = []
class P:
    def __getattr__(self, name):
        log.append(name)
        raise AttributeError(name)
    def __call__(self, x): return x * 2
p = P()
def step(x): return torch.utils.checkpoint.checkpoint(p, x, use_reentrant=False)
--- state
log
''')
