"""Programs that copy, search, group or write plain values by the standard library."""

from __future__ import annotations

from .programs import read

PROGRAMS = read(r'''
=== patterns_of_text: compiles
import re
pat = re.compile('(\\w+)\\.(weight|bias)')
m = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 2))
def step(x):
    wd = [p for k, p in m.named_parameters() if pat.match(k).group(2) == 'weight']
    found = pat.sub('z', 'a.bias'), pat.findall('b.weight'), pat.fullmatch('q') is None
    return sum((p.pow(2).sum() for p in wd)) * x, found
--- change 3
m[0].weight.data.zero_()
--- change 5
pat = re.compile('(\\w+)\\.(bias|weight)')
=== proxy_of_a_dict_read: compiles
d = {'a': 2.0}
p = types.MappingProxyType(d)
def step(x):
    return (x * p['a'] + len(p), 'b' in p, [k for k in p], p.get('c', 0), sorted(p.items()))
--- change 2
d['a'] = 5.0
--- change 4
d['b'] = 1
=== groups_of_a_list: compiles
def step(x):
    g = {k: list(v) for k, v in itertools.groupby([1, 1, 2, 3, 3], key=lambda v: v % 2)}
    return ([x * sum(v) for v in g.values()], [(k, len(list(q))) for k, q in itertools.groupby('aabc')])
=== copies_of_objects: compiles
class Part:
    def __init__(self): self.values = [1.0, 2.0]
class Config:
    asked = 0
    scale = 1.0
    def __init__(self):
        self.part = self.again = Part()
        self.own, self.kind, self.names, self.w = self, Part, ("a", "b"), torch.ones(2)
    def __getattr__(self, name):
        Config.asked += 1
        raise AttributeError(name)
c = Config()
def step(x):
    d = copy.deepcopy(c)
    d.part.values.append(d.scale)
    d.scale = 4.0
    same = d.again is d.part, d.own is d, d.kind is Part, d is c
    return x * sum(d.part.values) + d.w.sum(), same, type(d).__name__, d.names
--- change 3
c.scale = 3.0
c.again = Part()
--- change 4
c.part.values[0] = 9.0
c.w.add_(1)
--- state
Config.asked, c.part.values, vars(c).keys()
=== copies_of_objects_read_in_their_own_way: compiles
class Config:
    names = {"layers": "n"}
    seen = []
    def __init__(self): self.n = 3
    def __getattribute__(self, key):
        seen = super().__getattribute__("seen")
        if key != '__class__': seen.append(key)
        names = super().__getattribute__("names")
        return super().__getattribute__(names.get(key, key))
c = Config()
def step(x):
    d = copy.deepcopy(c)
    d.n += 1
    return x * d.layers * c.layers
--- state
Config.seen
=== copies_of_objects_in_slots_and_of_states: compiles
class Base:
    __slots__ = ("k", "free")
class A(Base):
    __slots__ = ("parts", "__dict__")
    def __setattr__(self, name, value):
        told.append(name)
        super().__setattr__(name, value)
class B:
    def __getstate__(self):
        told.append("get")
        return {"k": self.k + 1, "values": self.values}
    def __setstate__(self, state): self.__dict__.update(state, k=state["k"] * 2)
told = []
a, b = A(), B()
a.k, a.parts, a.own = 2.0, [b, b], 3.0
b.k, b.values = 1.0, [1.0]
def step(x):
    c = copy.deepcopy(a)
    one, other = c.parts
    one.values.append(c.own)
    return x * c.k + one.k + sum(one.values), one is other, hasattr(c, "free"), one is b
--- change 3
a.k = b.k = 4.0
--- change 5
a.free = 1.0
--- change 6
B.__getstate__ = lambda self: {"k": 9.0, "values": []}
--- state
told, b.values
=== copies_of_objects_without_attributes
class A:
    def __setstate__(self, state): told.append(state)
told = []
a, b = A(), A()
b.k = 1
del b.k
def step(x): return x, copy.deepcopy(a), copy.deepcopy(b)
--- state
told
=== copies_of_objects_with_slots_and_states:
class A:
    __slots__ = ("k",)
class B:
    def __setstate__(self, state): self.k = state["k"] + 1
class C:
    def __getstate__(self): return {"k": 5.0}
class D:
    def __reduce__(self): return (D.made, ())
    @staticmethod
    def made():
        d = D()
        d.k = 8.0
        return d
class E(D):
    def __deepcopy__(self, memo): return self
held = [A(), B(), C(), D(), E()]
for each in held: each.k = 2.0
def step(x, n): return x * copy.deepcopy(held[n % 5]).k
--- call
torch.ones(2), n
=== patterns_with_flags: compiles
import re
name = "layers.12.weight"
class F(enum.Flag): A = 1; B = 2; C = 4
def step(x):
    n = 2 if re.match("LAYERS.([0-9]+)", name, re.IGNORECASE | re.MULTILINE) else 3
    return x * n, F.A | F.C, F(6) & F.B, (F.A | F.B).value, len(re.sub("A", "bc", name, flags=re.I))
--- change 3
name = "other"
--- state
[F(n) is F(n) for n in range(8)]
=== patterns_that_are_new: compiles
import re
name = "layers.12.weight"
re.purge()
def step(x): return x * (2 if re.search(f"({word})[.]", name, re.I) else 3), re.split("[.]", name)
word = "LAYERS"
--- change 3
word = "OTHERS"
re.purge()
=== numbers_of_a_derived_class_that_are_true: compiles
class N(int): pass
n = N(3)
def step(x): return x * 2 if n else x * 3
--- change 3
n = N(0)
=== numbers_of_a_derived_class_with_a_truth_of_their_own:
class Truth:
    def __call__(self): seen.append(1); return False
class M(int): __bool__ = Truth()
seen = []
m = M(3)
def step(x): return x * 2 if m else x * 3
--- state
seen
=== flags_that_are_none: raises compiles
class F(enum.Flag): A = 1; B = 2
def step(x):
    try: F(n)
    except ValueError as error: return x * 2, str(error)
    return x * 3
n = 9
--- change 3
n = 3
=== flags_with_a_way_of_their_own:
class F(enum.Flag):
    A = 1
    @classmethod
    def _missing_(cls, value):
        seen.append(value)
        return cls.A
seen = []
def step(x): return x * F(5).value
--- state
seen
=== paths_put_together: compiles
names = ["a", "b"]
path = pathlib.Path("q")
def step(x): return x * len(os.path.join("w", *names)), os.path.basename("/a/b.pt"), os.fspath(path)
--- change 3
names.append("cd")
=== unions_compared: compiles
T = int | None
def step(x): return x * (2 if T == int | None else 3), T != float | str
--- change 3
T = float | str
=== unions_of_classes_with_comparisons:
class Meta(type):
    def __eq__(cls, other): return seen.append(1) or True
    __hash__ = type.__hash__
class A(metaclass=Meta): pass
class B(metaclass=Meta): pass
seen = []
def step(x): return x * (2 if (A | int) == (B | int) else 3)
--- state
len(seen)
=== place_in_a_sorted_list: compiles
import bisect
b = [1, 5, 9]
def step(x, k):
    return (x * bisect.bisect(b, k), bisect.bisect_left(b, 5))
--- call
torch.ones(2), n * 2
--- change 3
bisect.insort(b, 4)
=== json_read_and_written: compiles
import json
cfg = {'a': [1, 2.5], 'b': {'c': None}}
def step(x, s):
    c = json.loads(s)
    c['q'] = 1
    return (x * c['k'], json.dumps(cfg, sort_keys=True), c)
--- call
torch.ones(2), '{"k": %d}' % (n % 3)
--- change 4
cfg['a'].append(True)
=== best_state_copied: compiles
m = nn.Linear(3, 1)
o = torch.optim.SGD(m.parameters(), 0.1)
best = None
bl = float('inf')
def step(x):
    global best, bl
    o.zero_grad()
    l = m(x).pow(2).sum()
    l.backward()
    o.step()
    if l.item() < bl:
        bl = l.item()
        best = copy.deepcopy(m.state_dict())
    return l
--- call
torch.ones(3) * [1, .5, 3, .1, 2, .2, 1][n]
--- change 5
m.load_state_dict(best)
--- state
m, best, bl
=== plain_containers_copied: compiles
d = {'a': [torch.ones(3)], 'b': (1, [2])}
d['c'] = d['a']
def step(x):
    e = copy.deepcopy(d)
    e['a'][0].add_(x)
    e['b'][1].append(3)
    return (e, e['c'] is e['a'])
--- change 3
d['a'].append(5)
--- state
d
=== tensors_of_one_memory_copied
b = torch.arange(6.0).view(2, 3)
v = b[0]
q = b.detach()
z = torch.zeros(2)
def step(x):
    c = copy.deepcopy([z, v])
    e = copy.deepcopy([b, q])
    e[0].add_(1)
    c[0].add_(1)
    return (c, e)
=== tuples_in_several_places: compiles
T = collections.namedtuple('T', 'a b')
box = {}
l = []
def step(x):
    h = T(x, (x * 2, 1))
    p = (h, h.b)
    box['h'], box['pair'] = h, (p, ())
    l.append(p)
    return p, [p], h
--- state
box['h'] is last[2], box['pair'][0] is last[1][0] is last[0] is l[-1], last[0][0].b is last[0][1]
--- change
if last is not None: assert box['h'] is last[2] is last[0][0]
=== copied_together_in_changing_places: compiles
d = {'a': torch.ones(2), 'b': torch.ones(2)}
def step(x):
    c = copy.deepcopy(d)
    c['a'].add_(x)
    return c
--- change 1
d['b'] = d['a'].clone()
--- call
torch.ones(2) * n
=== copied_together_then_given_the_data_of_another: compiles
d = {'a': torch.ones(2), 'b': torch.ones(2)}
def step(x):
    c = copy.deepcopy(d)
    c['a'].add_(x)
    return c
--- call
torch.ones(2) * n
--- change 3
d['b'].data = d['a'].data
=== copied_arguments_of_one_memory: compiles
def step(tensors):
    c = copy.deepcopy(tensors)
    c[0].mul_(2)
    return c
--- call
(lambda t: [t, t.detach()] if n % 2 else [t, t.clone()])(torch.ones(2) * n)
=== copied_state_of_one_memory_since: compiles
m = nn.Linear(1, 1)
def step(x):
    c = copy.deepcopy(m.state_dict())
    c['bias'].add_(x)
    return c
--- call
torch.ones(1) * n
--- change 3
m.bias.data = m.weight.data[0]
''')
