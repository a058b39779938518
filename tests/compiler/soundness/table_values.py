"""Programs that read values of Python: numbers, texts, containers, enums."""

from __future__ import annotations

from .programs import read

PROGRAMS = read('''
=== one_true_one: compiles
k = 1
def step(x): return x * k, type(k).__name__
--- call
torch.arange(1, 4) + n
--- change 2
k = True
--- change 4
k = 1.0
=== one_true_in_tuple: compiles
k = (1, 0)
def step(x): return x * k[0] + k[1], k
--- call
torch.arange(1, 4) + n
--- change 2
k = (True, False)
--- change 4
k = (1.0, 0.0)
=== one_true_as_argument: compiles
def step(x, k): return x * k, k
--- call
torch.arange(1, 4) + n, (1, True, 1.0)[n % 3]
=== zero_signs_as_argument: compiles
def step(x, k): return x * k, k
--- call
torch.arange(1.0, 4.0), (0.0, -0.0)[n % 2]
=== zero_signs_in_list: compiles
l = [0.0]
def step(x): return x * l[0]
--- change 3
l[0] = -0.0
=== zero_signs_in_tuple: compiles
t = (0.0, 1.0)
def step(x): return x * t[0]
--- change 3
t = (-0.0, 1.0)
=== zero_signs_in_default: compiles
def f(x, k=0.0): return x * k
def step(x): return f(x)
--- change 3
f.__defaults__ = (-0.0,)
=== zero_signs_complex: compiles
k = complex(0.0, 0.0)
def step(x): return x * 1.0, math.copysign(1.0, k.imag) * x
--- change 3
k = complex(0.0, -0.0)
=== nan_stays_the_same: compiles
k = float("nan")
def step(x): return x * k
=== nan_becomes_a_number: compiles
k = float("nan")
def step(x): return x * k if k == k else x
--- change 3
k = 2.0
=== nan_replaced_by_nan: compiles
k = float("nan")
def step(x): return x * k, x + 1
--- change
k = float("inf") - float("inf")
=== nan_in_list_identity: compiles
a = float("nan")
l = [a]
def step(x): return x * 2 if a in l else x * 3
--- change 3
l[0] = float("nan")
=== infinity_sign: compiles
k = math.inf
def step(x): return x * k
--- change 3
k = -math.inf
=== big_integer: compiles
k = 2 ** 40
def step(x): return x * k
--- call
torch.arange(1, 4)
--- change 3
k = 2 ** 41
=== integer_overflows_later: raises
k = 2 ** 40
def step(x): return x + k
--- call
torch.arange(1, 4)
--- change 3
k = 2 ** 70
=== string_branch: compiles
mode = "double"
def step(x): return x * 2 if mode == "double" else x * 3
--- change 3
mode = "triple"
=== string_and_bytes: compiles
mode = "a"
def step(x): return x * 2 if mode == "a" else x * 3
--- change 3
mode = b"a"
=== none_and_false: compiles
k = None
def step(x): return x if k is None else x * 2
--- change 3
k = False
=== string_interned_identity:
k = "a b"
j = k
def step(x): return x * 2 if k is j else x * 3
--- change 3
k = "".join(["a", " ", "b"])
=== str_subclass: compiles
class S(str): pass
s = S("a"); s.k = 2.0
def step(x): return x * s.k if s == "a" else x
--- change 3
s.k = 3.0
=== int_subclass: compiles
class I(int): pass
i = I(2)
def step(x): return x * int(i), i
--- change 3
i = I(3)
=== int_subclass_with_operator:
class I(int):
    def __rmul__(self, other): return other + 100
i = I(2)
def step(x): return 1 * i, x
--- change 3
i = 2
=== float_subclass: compiles
class R(float): pass
r = R(2.0); r.k = 1.0
def step(x): return x * float(r) + r.k
--- change 3
r.k = 5.0
=== tuple_subclass: compiles
class T(tuple): pass
t = T((2.0, 3.0)); t.k = 1.0
def step(x): return x * t[0] + t.k
--- change 2
t.k = 5.0
--- change 4
t = T((4.0, 3.0)); t.k = 0.0
=== list_subclass_overrides_item: compiles
class L(list):
    def __getitem__(self, i): return 5.0
l = L([1.0])
def step(x): return x * l[0]
--- change 3
del L.__getitem__
=== dict_subclass_overrides_get: compiles
class D(dict):
    k = 5.0
    def get(self, key, default=None): return self.k
d = D(a=1.0)
def step(x): return x * d.get("a")
--- change 3
D.k = 6.0
=== dict_order: compiles
d = {"a": 2.0, "b": 3.0}
def step(x):
    for k in d:
        x = (x + 1) * d[k]
    return x
--- change 3
d["a"] = d.pop("a")
=== dict_equal_other_order: compiles
d = {"a": 2.0, "b": 3.0}
def step(x):
    for k, v in d.items():
        x = (x + 1) * v
    return x
--- change 3
d = {"b": 3.0, "a": 2.0}
=== dict_key_equal_other_type: compiles
d = {1: 2.0}
def step(x): return [(type(k).__name__, x * v) for k, v in d.items()]
--- change 3
d = {True: 2.0}
=== dict_key_replaced: raises compiles
d = {"a": 2.0}
def step(x): return x * d["a"]
--- change 3
d["b"] = d.pop("a")
=== dict_key_missing_then_there: compiles
d = {}
def step(x): return x * d["a"] if "a" in d else x
--- change 3
d["a"] = 3.0
=== dict_unrelated_key_added: compiles
d = {"a": 2.0}
def step(x): return x * d["a"]
--- change
d[n] = n
=== dict_length: compiles
d = {"a": 2.0}
def step(x): return x * len(d)
--- change 3
d["b"] = 1.0
=== set_membership: compiles
s = {1, 2}
def step(x): return x * 2 if 3 in s else x * 3
--- change 3
s.add(3)
=== set_size_same_other_items: compiles
s = {1, 2}
def step(x): return x * 2 if 3 in s else x * 3
--- change 3
s.discard(1); s.add(3)
=== frozenset_replaced: compiles
s = frozenset({"a"})
def step(x): return x * 2 if "a" in s else x * 3
--- change 3
s = frozenset({"b"})
=== list_grown: compiles
l = [1.0, 2.0]
def step(x):
    for k in l:
        x = x + k
    return x
--- change 3
l.append(5.0)
=== list_reversed: compiles
l = [1.0, 2.0]
def step(x):
    for k in l:
        x = (x + 1) * k
    return x
--- change 3
l.reverse()
=== list_of_tensors_grown: compiles
l = [torch.ones(3)]
def step(x): return sum(t * x for t in l)
--- change 3
l.append(torch.full((3,), 2.0))
=== list_cleared: compiles
l = [torch.ones(3)]
def step(x): return torch.stack([x, *l])
--- change 3
l.clear()
=== list_replaced_by_tuple: compiles
l = [1.0, 2.0]
def step(x): return x * l[0], type(l).__name__
--- change 3
l = (1.0, 2.0)
=== list_aliased: compiles
a = [2.0]
b = a
def step(x): return x * a[0] + b[0]
--- change 2
b[0] = 3.0
--- change 4
b = [5.0]
=== list_identity: compiles
a = [2.0]
b = a
def step(x): return x * 2 if a is b else x * 3
--- change 3
b = [2.0]
=== list_contains_itself:
l = [2.0]
l.append(l)
def step(x): return x * l[1][1][0]
--- change 3
l[0] = 3.0
=== sorted_by_attribute: compiles
class O:
    def __init__(self, k): self.k = k
os_ = [O(2.0), O(1.0)]
def step(x):
    for o in sorted(os_, key=operator.attrgetter("k")):
        x = (x + 1) * o.k
    return x
--- change 3
os_[1].k = 5.0
=== sorted_by_key_function: compiles
names = ["bb", "a", "ccc"]
sign = 1
def step(x):
    for k in sorted(names, key=lambda s: sign * len(s)):
        x = x * 2 + len(k)
    return x
--- change 3
sign = -1
=== min_max_of_list: compiles
l = [3.0, 1.0]
def step(x): return x * max(l) + min(l)
--- change 3
l.append(9.0)
=== sum_any_all: compiles
l = [1, 0]
def step(x): return x * sum(l) + any(l) + all(l)
--- change 3
l[1] = 4
=== zip_enumerate: compiles
a, b = [1.0, 2.0], ["p", "q"]
def step(x): return {k: x * v + i for i, (v, k) in enumerate(zip(a, b))}
--- change 3
b.reverse()
=== filter_by_predicate: compiles
l = [1.0, 2.0, 3.0]
low = 1.5
def step(x): return x * sum(filter(lambda v: v > low, l))
--- change 3
low = 2.5
=== starmap: compiles
l = [(1.0, 2.0), (3.0, 4.0)]
def step(x): return x * sum(itertools.starmap(operator.mul, l))
--- change 3
l[1] = (5.0, 4.0)
=== chain_and_islice:
l = [1.0, 2.0, 3.0]
def step(x): return x * sum(itertools.islice(itertools.chain(l, l), 1, 4))
--- change 3
l[0] = 9.0
=== accumulate:
l = [1.0, 2.0, 3.0]
def step(x): return x * list(itertools.accumulate(l))[-1]
--- change 3
l[0] = 9.0
=== slices: compiles
l = [1.0, 2.0, 3.0, 4.0]
lo = 1
def step(x): return x * sum(l[lo:3])
--- change 3
lo = 2
=== unpacking: compiles
l = [1.0, 2.0, 3.0]
def step(x):
    first, *rest = l
    return x * first + len(rest)
--- change 3
l.append(1.0)
=== counter_container: compiles
c = collections.Counter("aab")
def step(x): return x * c["a"] + c["z"]
--- change 3
c["z"] = 5
=== default_dict_makes_entries:
d = collections.defaultdict(lambda: 2.0)
def step(x): return x * d["a"]
--- change 3
d["a"] = 3.0
--- state
d
=== deque_rotated: compiles
d = collections.deque([1.0, 2.0])
def step(x): return x * d[0] + d[-1]
--- change 3
d.rotate()
=== deque_bounded:
d = collections.deque(maxlen=3)
def step(x):
    d.append(len(d))
    return x * len(d)
--- state
list(d)
=== named_tuple_of_tensors: compiles
P = collections.namedtuple("P", "w b")
p = P(torch.ones(3), torch.zeros(3))
def step(x): return P(x * p.w, p.b)
--- change 3
p = p._replace(w=torch.full((3,), 2.0))
=== typed_named_tuple: compiles
class P(typing.NamedTuple):
    w: object
    k: float = 2.0
    def scaled(self): return self.w * self.k
p = P(torch.ones(3))
def step(x): return x * p.scaled()
--- change 3
p = P(torch.ones(3), 5.0)
=== dataclass_tree: compiles
@dataclasses.dataclass
class A: k: float = 1.0
@dataclasses.dataclass
class B:
    a: A = dataclasses.field(default_factory=A)
    w: object = None
b = B(w=torch.ones(3))
def step(x): return x * b.a.k + b.w
--- change 2
b.a.k = 2.0
--- change 4
b.a = A(5.0)
=== dataclass_made_inside: compiles
@dataclasses.dataclass
class A:
    y: object
    k: float = 2.0
def step(x): return A(x * 2, 3.0)
=== dataclass_post_init:
made = []
@dataclasses.dataclass
class A:
    y: object
    def __post_init__(self): made.append(1)
def step(x): return A(x * 2).y * len(made)
--- state
len(made)
=== dataclass_compared: compiles
@dataclasses.dataclass
class A: k: float
a, b = A(1.0), A(1.0)
def step(x): return x * 2 if a == b else x * 3
--- change 3
b.k = 2.0
=== dataclass_fields_listed: compiles
@dataclasses.dataclass
class A:
    p: float = 1.0
    q: float = 2.0
a = A()
def step(x): return x * sum(getattr(a, f.name) for f in dataclasses.fields(a))
--- change 3
a.q = 7.0
=== dataclass_as_dict:
@dataclasses.dataclass
class A:
    p: float = 1.0
    q: list = dataclasses.field(default_factory=lambda: [2.0])
a = A()
def step(x): return x * dataclasses.asdict(a)["q"][0]
--- change 3
a.q[0] = 7.0
=== enum_member: compiles
class E(enum.Enum):
    A = 1
    B = 2
e = E.A
def step(x): return x * e.value if e is E.A else x + e.value
--- change 3
e = E.B
=== enum_attribute: compiles
class E(enum.Enum):
    A = 1
E.A.k = 2.0
def step(x): return x * E.A.k
--- change 3
E.A.k = 3.0
=== flag_members: compiles
class E(enum.Flag):
    A = 1
    B = 2
e = E.A
def step(x): return x * 2 if E.B in e else x * 3
--- change 3
e = E.A | E.B
=== int_enum: compiles
class E(enum.IntEnum):
    A = 2
    B = 3
e = E.A
def step(x): return x * e
--- change 3
e = E.B
''')
