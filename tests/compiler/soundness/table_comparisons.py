"""Programs in which containers look at objects by comparisons of their own: to find, sort or compare them."""

from __future__ import annotations

from .programs import read

_CLASS = '''
log = []
class O:
    def __init__(self, k): self.k = k
    def __eq__(self, other):
        log.append(self.k)
        return isinstance(other, O) and self.k == other.k
    def __lt__(self, other):
        log.append(self.k)
        return self.k < other.k
    __hash__ = None
held = [O(3), O(1), O(2)]
'''

PROGRAMS = read(f'''
=== index_of_objects: compiles{_CLASS}
def step(x): return x * held.index(O(2)), (*held, 5).index(5, 1)
--- change 3
held[0].k = 2
=== index_of_no_object: compiles{_CLASS}
def step(x):
    try:
        held.index(O(2), 0, 2)
    except ValueError:
        return x * 2
=== count_of_objects: compiles{_CLASS}
def step(x): return x * held.count(O(1)), tuple(held).count(O(3))
--- change 3
held[0].k = 1
=== objects_removed: compiles{_CLASS}
def step(x):
    left = list(held)
    left.remove(O(1))
    return x * left[1].k
--- change 3
held[0].k = 1
=== objects_sorted: compiles{_CLASS}
def step(x):
    pairs = sorted([(1, held[0]), (1, held[1]), (0, held[2])], reverse=True)
    return x * sorted(held)[0].k, [p[1].k for p in pairs], sorted(held, key=lambda o: O(-o.k))[0].k
--- change 3
held[0].k = -1
=== objects_within_compared: compiles{_CLASS}
class Pair(tuple): pass
def step(x):
    a, b = Pair((held[0], 1)), Pair((O(3), 1))
    return x * 2 if a in (b,) else x * 3, a != b, a < b, [O(1)] <= [O(1)], (O(1), 2) > (O(1),), a == [1]
--- change 3
held[0].k = 4
=== derived_sequence_compares_itself: compiles{_CLASS}
class Pair(tuple):
    def __eq__(self, other): return len(other) == k
    __hash__ = None
k = 2
def step(x):
    a = Pair(held[:2])
    return x * 2 if a == (held[0], held[1]) else x * 3, (held[0], O(5)) == a, (O(1),) != a, a in [(O(7),)]
--- change 3
k = 1
=== typed_dict_made: compiles
class M(typing.TypedDict, total=False):
    k: float
k = 2.0
def step(x):
    m = M(k=k)
    m["n"] = 3
    return x * m["k"], len(m), type(m) is dict
--- change 3
k = 3.0
=== derived_partial: compiles
class P(functools.partial):
    __slots__ = ("func",)
    def __init__(self, func): self.func = 5
k = 2.0
def scaled(a, x): return a * x * k
def step(x):
    p = P(functools.partial(scaled, 3.0))
    return p(x), functools.partial(p)(x), p.func
--- change 3
k = 4.0
=== objects_that_are_no_tensors: compiles
class O:
    def __eq__(self, other): raise RuntimeError("must not be compared")
o = [O()]
def step(x): return x * 2 if torch.is_tensor(o[0]) else x * 3, torch.is_tensor(x), torch.is_tensor([x])
--- change 3
o[0] = torch.ones(2)
=== names_of_a_class: compiles
class C:
    a, b = 1, 2
class D(C):
    c = 3
def step(x): return x * sum(getattr(D, n) for n in dir(D) if not n.startswith("_"))
--- change 3
C.d = 5
=== pickled_numbers: compiles
import pickle
k = 2
def step(x): return x * len(pickle.dumps({{}})), pickle.dumps({{"k": k}})
--- change 3
k = 3
''')
