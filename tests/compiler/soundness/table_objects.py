"""Programs that are given objects of the user's, other ones in each call."""

from __future__ import annotations

from .programs import read

PROGRAMS = read(r'''
=== object_of_a_plain_class: compiles
class Batch:
    def __init__(self, x, y): self.x, self.y = x, y
    def __len__(self): return self.x.shape[0]
def step(b): return ((b.x - b.y) ** 2).sum() / len(b)
--- call
Batch(torch.ones(3) * n, torch.arange(3.0))
=== object_that_changes_itself: compiles
class State:
    def __init__(self, q, p): self.q, self.p, self.t = q, p, 0.0
    def advance(self, dt):
        self.p = self.p - self.q * dt
        self.q = self.q + self.p * dt
        self.t += dt
        return self
def step(s, dt): return s.advance(dt).advance(dt), s.q.sum() * s.t
--- call
State(torch.ones(3) * n, torch.arange(3.0)), 0.1 * n
=== object_with_slots: compiles
class T:
    __slots__ = ("x", "r", "made")
    def __init__(self, x, r): self.x, self.r = x, r
def step(ts):
    for t in ts:
        t.made = t.x * t.r
        t.r += 1
    return sum(t.made.sum() for t in ts), hasattr(ts[0], "nothing")
--- call
[T(torch.ones(2) * n, n), T(torch.ones(2), 0.5 * n)]
=== object_with_a_slot_that_is_empty_in_some_calls: compiles
class T:
    __slots__ = ("x", "y")
    def __init__(self, x): self.x = x
def made(n):
    t = T(torch.ones(2) * n)
    if n % 3 == 2: t.y = torch.ones(2)
    return t
def step(t): return t.x + t.y if hasattr(t, "y") else t.x
--- call
made(n)
=== object_that_is_a_dict: compiles
class Out(collections.OrderedDict):
    def __setattr__(self, name, value):
        super().__setitem__(name, value)
        super().__setattr__(name, value)
    def __getitem__(self, key):
        return dict(self.items())[key] if isinstance(key, str) else tuple(self.values())[key]
def made(n):
    o = Out()
    o.loss, o.logits = torch.ones(1) * n, torch.ones(2, 3)
    return o
def step(o):
    o.more = o.logits + o[0]
    return o, o["loss"] * 2
--- call
made(n)
=== object_that_is_a_user_dict: compiles
class Enc(collections.UserDict):
    def __getattr__(self, name):
        try: return self.data[name]
        except KeyError: raise AttributeError(name) from None
def model(ids, mask): return ids * mask
def step(e): return model(**e) + len(e), e.mask.sum(), "ids" in e
--- call
Enc({"ids": torch.ones(3) * n, "mask": torch.ones(3)})
=== object_that_is_a_list: compiles
class L(list):
    pass
def made(n):
    l = L([torch.ones(2) * n, float(n)])
    l.tag = torch.ones(2)
    return l
def step(l):
    l.append(l[0] * l[1])
    return l.tag + l[-1], l
--- call
made(n)
=== object_that_keeps_attributes_in_a_dict: compiles
class Data:
    def __init__(self, **kw):
        self.__dict__["_store"] = {}
        for k, v in kw.items(): setattr(self, k, v)
    def __getattr__(self, k):
        try: return self.__dict__["_store"][k]
        except KeyError: raise AttributeError(k) from None
    def __setattr__(self, k, v): self._store[k] = v
    @property
    def size(self): return self.x.shape[0]
def step(d):
    d.h = torch.zeros(d.size).index_add(0, d.edge[1], d.x[d.edge[0]])
    return d.h * 2
--- call
Data(x=torch.ones(3) * n, edge=torch.tensor([[0, 1], [1, 2]]))
=== object_and_list_whose_tensors_change_places: compiles
class B:
    def __init__(self, x, y): self.x, self.y = x, y
def step(b, l):
    b.x, b.y = b.y, b.x
    l[0], l[1] = l[1], l[0]
    b.z = l.pop()
    return b.x + 1, b, l
--- call
B(torch.ones(2) * n, torch.zeros(2)), [torch.ones(2), torch.ones(2) * n]
=== object_frozen: compiles
@dataclasses.dataclass(frozen=True)
class F:
    x: object
    gamma: float
def step(f): return f.x * f.gamma
--- call
F(torch.ones(2), 0.9 + n)
=== object_named_tuples_with_numbers: compiles
class Step(typing.NamedTuple):
    s: object
    r: float
def step(ts): return sum((t.s * t.r).sum() for t in ts), ts[0], ts
--- call
[Step(torch.ones(2), float(n)), Step(torch.ones(2) * n, 2.0)]
=== object_named_tuple_with_attributes: compiles
class Step(collections.namedtuple("Step", "s r")): pass
def made(n):
    t = Step(torch.ones(2) * n, float(n % 2))
    if n > 2: t.note = torch.ones(2) * n
    return t
def step(t, u):
    u.more = t.s * t.r
    return getattr(t, "note", t.s) * 2, t.s * t.r, u[0]
--- call
made(n), made(n + 5)
=== object_packed_sequence: compiles
def step(p): return p.data * p.batch_sizes.sum(), p._replace(data=p.data * 2), p.data.shape == (6, 3)
--- call
torch.nn.utils.rnn.pack_padded_sequence(torch.ones(4, 2, 3) * n, torch.tensor([4, 2]))
=== object_in_objects: compiles
class O:
    def __init__(self, **kw): vars(self).update(kw)
def step(top): return sum(b.x.sum() for b in top["bs"]) * top["c"].inner.k + top["c"].k
--- call
{"bs": [O(x=torch.ones(2) * n), O(x=torch.ones(2))], "c": O(k=n, inner=O(k=0.5 * n))}
=== object_cache_that_grows: compiles
class Cache:
    def __init__(self): self.k, self.seen = [], 0
    def update(self, k, i):
        if i == 0: self.seen += k.shape[0]
        if len(self.k) <= i: self.k.append(k)
        else: self.k[i] = torch.cat([self.k[i], k])
        return self.k[i]
held = []
def given(n):
    if n % 2 == 0: held[:] = [Cache()]
    return held[0]
def step(x, past):
    for i in range(2): x = x + past.update(x * i, i).sum(0)
    return x * past.seen
--- call
torch.ones(1, 2) * n, given(n)
=== object_made_in_the_call: compiles
class Cache:
    def __init__(self): self.k, self.n = [], 0
    def update(self, k):
        self.k.append(k)
        self.n += 1
        return torch.stack(self.k)
def step(x):
    c = Cache()
    for t in range(3): y = c.update(x * t).sum(0) * c.n
    return y, c
=== object_a_number_in_it_decides: compiles
class C:
    def __init__(self, k): self.k = k
def step(c, x):
    for _ in range(c.k % 3): x = x * c.k
    return x if c.k > 3 else -x
--- call
C(n), torch.ones(2)
=== object_a_number_in_it_of_many_kinds
class C:
    def __init__(self, k): self.k = k
def step(c): return torch.ones(2) * c.k, c.k
--- call
C([1, 2, 2.5, True, float("nan"), -0.0, -3][n])
=== object_twice: compiles
class B:
    def __init__(self, x): self.x = x
def step(a, b):
    a.x = a.x + 1
    return b.x * 2
def given(n):
    a = B(torch.ones(2) * n)
    return (a, a if n % 3 == 2 else B(torch.zeros(2)))
--- call
*given(n)
=== object_that_holds_itself: compiles
class B:
    def __init__(self, x): self.x, self.me = x, self
def step(b):
    b.me.x = b.x + 1
    return b.x * 2, b.me
--- call
B(torch.ones(2) * n)
=== object_list_in_two_objects
class B:
    def __init__(self, x, l): self.x, self.l = x, l
def step(a, b): return a.x * a.l[0] + b.x * b.l[0]
def given(n):
    l = [float(n)]
    return B(torch.ones(2), l), B(torch.ones(2) * 10, l if n < 4 else [n * 3.0])
--- call
*given(n)
=== object_list_in_two_objects_that_comes_apart
class B:
    def __init__(self, l): self.l = l
def step(a, b): return torch.ones(2) * a.l[0] * b.l[0]
def given(n):
    l = [float(n)]
    return B(l), B(l if n != 4 else [2.0])
--- call
*given(n)
=== object_of_a_derived_class_in_some_calls: compiles
class B:
    def __init__(self, x): self.x = x
    def f(self): return self.x * 2
class C(B):
    def f(self): return self.x * 3
def step(b): return b.f(), type(b).__name__
--- call
(C if n % 3 == 2 else B)(torch.ones(2) * n)
=== object_without_an_attribute_in_some_calls: compiles
class B:
    def __init__(self, x): self.x, self.y = x, 1.0
def given(n):
    b = B(torch.ones(2) * n)
    if n % 3 == 2: del b.y
    if n % 3 == 1: b.y = "one"
    return b
def step(b): return b.x * (b.y if isinstance(getattr(b, "y", None), float) else 5)
--- call
given(n)
=== object_whose_class_changes: compiles
class B:
    scale = 2.0
    def __init__(self, x): self.x = x
def step(b): return b.x * b.scale
--- change 4
B.scale = 3.0
--- change 6
B.x = property(lambda self: torch.full((2,), 7.0), lambda self, v: None)
--- call
B(torch.ones(2) * n)
=== object_told_by_is
class B:
    def __init__(self, x): self.x = x
objects = [B(torch.ones(2) * i) for i in range(5)]
def step(b): return b.x + (1 if b is objects[3] else 0)
--- call
objects[[0, 1, 2, 4, 3, 0, 3][n]]
=== object_told_by_what_a_container_takes_for_one: compiles
class B:
    def __init__(self, x): self.x = x
    def __eq__(self, other): return False
    __hash__ = object.__hash__
objects = [B(torch.ones(2) * i) for i in range(6)]
box = types.SimpleNamespace(held=objects[3:5])
def step(b): return b.x + (b in box.held), [b] == box.held[:1], box.held.count(b)
--- call
objects[[1, 2, 0, 5, 3, 4, 3][n]]
=== object_compared_with_a_number: compiles
@dataclasses.dataclass
class B:
    x: object
    k: int
class C:
    def __init__(self, k): self.k = k
    def __eq__(self, other): return self.k == other.k if isinstance(other, C) else NotImplemented
    def __lt__(self, other): return self.k < other if isinstance(other, int) else NotImplemented
def step(b, c):
    found = [b == 5, b != 5, 5 == b, c == "a", "a" != c, b == None, c in (1, "a", c), c < 5, 5 > c]
    try: c < "a"
    except TypeError as error: found.append(str(error))
    try: 5 < c
    except TypeError as error: found.append(str(error))
    return b.x * b.k, found
--- call
B(torch.ones(2) * n, n), C(n + 2)
=== object_told_by_equality
class B:
    def __init__(self, x): self.x = x
objects = [B(torch.ones(2) * i) for i in range(5)]
def step(b): return b.x + (b == objects[3]) + 10 * (b in objects[3:4]) + 100 * ((b, 1) == (objects[3], 1))
--- call
objects[[0, 1, 2, 4, 3, 0, 3][n]]
=== object_told_by_the_method_of_object
class B:
    def __init__(self, x): self.x = x
    def __eq__(self, other): return super().__eq__(other) is True
    def __hash__(self): return 1
objects = [B(torch.ones(2) * i) for i in range(5)]
def step(b): return b.x + (b == objects[3]) + 10 * (object.__ne__(b, objects[3]) is False)
--- call
objects[[0, 1, 2, 4, 3, 0, 3][n]]
=== object_that_is_a_key
class B:
    def __init__(self, x): self.x = x
objects = [B(torch.ones(2) * i) for i in range(5)]
known = {objects[3]: 5.0}
def step(b):
    return b.x + known.get(b, 0.0) + len({b, objects[3]})
--- call
objects[[0, 1, 2, 4, 3, 0, 3][n]]
=== object_that_becomes_a_key
class B:
    def __init__(self, x): self.x = x
seen = {}
def step(b):
    seen[b] = b.x.sum()
    return b.x + len(seen)
--- call
B(torch.ones(2) * n)
--- state
len(seen), list(seen.values())
=== object_kept_and_read_by_the_next_call
class B:
    def __init__(self, x): self.x = x
kept = []
def step(b):
    b.x = b.x * 2
    kept.append(b)
    return kept[0].x.sum() + b.x.sum()
--- call
B(torch.ones(2) * n)
--- state
kept
=== object_found_elsewhere_too
class B:
    def __init__(self, x): self.x = x
box = types.SimpleNamespace(now=None)
def given(n):
    b = B(torch.ones(2) * n)
    box.now = b if n % 3 == 2 else B(torch.zeros(2))
    return b
def step(b):
    b.x = b.x + 1
    return box.now.x * 2
--- call
given(n)
--- state
box
=== object_written_to_elsewhere_too
class B:
    def __init__(self, x): self.x = x
box = types.SimpleNamespace(now=None)
def given(n):
    b = B(torch.ones(2) * n)
    box.now = b if n == 5 else B(torch.zeros(2))
    return b
def step(b):
    box.now.x = torch.full((2,), 9.0)
    return b.x * 2
--- call
given(n)
--- state
box
=== object_returned_and_stored: compiles
class B:
    def __init__(self, x): self.x = x
box = types.SimpleNamespace(last=None)
def step(b):
    box.last = b
    b.n = b.x.sum().item()
    return b, [b, b], {"b": b}
--- call
B(torch.ones(2) * n)
--- state
box
=== object_in_weak_places
class B:
    def __init__(self, x): self.x = x
seen = weakref.WeakKeyDictionary()
kept = []
def step(b):
    seen[b] = 1.0
    kept.append(b)
    return b.x + len(seen) + (weakref.ref(b)() is b)
--- call
B(torch.ones(2) * n)
=== objects_that_take_turns: compiles
class P:
    def __init__(self, k): self.k, self.past = k, []
players = [P(1.0), P(2.0)]
def given(n):
    players[n % 2].past.append(n)
    return players[n % 2]
def step(x, p): return x * p.k
--- call
torch.ones(2) * n, given(n)
=== object_whose_attributes_come_in_another_order: compiles
class B:
    def __init__(self, n):
        for name in ("a", "b") if n % 2 else ("b", "a"): setattr(self, name, torch.ones(2) * n)
def step(b): return list(vars(b)), b.a * 2
--- call
B(n)
=== object_distribution: compiles
def step(d, x): return d.log_prob(x).sum() + d.mean
--- call
torch.distributions.Normal(torch.zeros(2) + n, torch.ones(2)), torch.ones(2)
=== object_deques_with_numbers: compiles
def step(d, o, e):
    o["n"] += 1
    d.append(d[0] * d[1])
    return d[-1] * o["n"] + e["k"] * e["n"], d, o, e
--- call
*(collections.deque([torch.ones(2), 0.5 * n], maxlen=4), collections.OrderedDict(n=n)), \
collections.defaultdict(int, k=torch.ones(2), n=2 * n)
=== object_numbers_in_tuples_returned: compiles
def step(t, l): return t, l, (t,), t[1] + l[0][0], torch.ones(2) * t[1] * l[0][0]
--- call
(torch.ones(2), n), [(n * 2, "a")]
=== object_numbers_in_a_list_that_is_changed: compiles
def step(l, x):
    l[0] += 1
    l.append(l[0] * 2)
    l.sort()
    return x * l[-1], max(l), sum(l), len(l)
--- call
[n, 3 * n + 1], torch.ones(2)
=== object_with_a_name_that_is_not_read: compiles
class B:
    def __init__(self, x, name): self.x, self.name = x, name
def step(b, d): return b.x * 2 + d["x"]
--- call
B(torch.ones(2) * n, f"sample {n}"), {"x": torch.ones(2), "id": f"{n}"}
=== object_with_a_name_that_is_kept: compiles
class B:
    def __init__(self, x, name): self.x, self.name = x, name
log = []
def step(b):
    log.append((b.name, f"{b.name}: {b.x.sum().item()}"))
    return b.x * 2, b.name + "!", b.name is None
--- call
B(torch.ones(2) * n, f"sample {n}")
--- state
log
=== texts_that_decide: compiles
def step(x, mode):
    if mode == "sum": return x.sum()
    if mode in ("mean", "average"): return getattr(x, "mean")()
    return x * len(mode) if mode else -x
--- call
torch.ones(2) * n, ["sum", "mean", "", "average", "none", "sum", "a"][n]
=== texts_given_to_what_python_has_in_c: compiles
class O: a, b, c = 1, 2, 3
def step(x, m):
    found = []
    for ask in (
        lambda: ",".join([m, "x"]), lambda: list(map(str.upper, [m])), lambda: operator.attrgetter(m)(O),
        lambda: functools.partial(str.replace, m)("a", "b"), lambda: getattr(O, m), lambda: hasattr(O, m),
        lambda: "abc".find(m), lambda: int(m, 16), lambda: {m: 1}, lambda: m.encode(), lambda: [*m],
        lambda: str.upper(m), lambda: sorted([m, "b"]), lambda: setattr(O, m, 5),
    ):
        try: found.append(ask())
        except TypeError: found.append("no text")
    return x * 2, found
--- call
torch.ones(2) * n, "abcabca"[n]
=== numbers_that_are_truth_values: compiles
def step(x, c): return x * (2 if c["n"] else 3) + (1 if c["n"] is None else 0) + (5 if not c["k"] else 6)
--- call
torch.ones(2), {"n": n // 2, "k": 0.5 * (n // 3)}
''')
