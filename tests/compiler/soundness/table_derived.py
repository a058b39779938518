"""Programs with classes derived from containers, whose own methods Python asks or does not."""

from __future__ import annotations

from .programs import read

PROGRAMS = read(r'''
=== dict_update_setitem: compiles
class D(dict):
    def __setitem__(self, k, v): super().__setitem__(k, v * 2)
d = D()
def step(x):
    d.update(a=1)
    d.update({'b': 3})
    return x * d['a']
--- state
dict(d)
=== dict_setdefault_setitem: compiles
class D(dict):
    def __setitem__(self, k, v): super().__setitem__(k, v * 2)
d = D()
def step(x):
    d.setdefault('a', 5)
    return x * d['a']
--- state
dict(d)
=== dict_pop_delitem: compiles
log = []
class D(dict):
    def __delitem__(self, k): log.append(k); super().__delitem__(k)
d = D(a=1)
def step(x):
    d['a'] = 2
    return x * d.pop('a')
--- state
dict(d), list(log)
=== dict_get_getitem: compiles
class D(dict):
    def __getitem__(self, k): return 9
    def __contains__(self, k): return False
d = D(a=1)
def step(x):
    return x * d.get('a'), d['a'], 'a' in d, dict(d), {**d}, list(d.values())
=== dict_init_setitem:
class D(dict):
    def __setitem__(self, k, v): super().__setitem__(k, v * 2)
def step(x):
    d = D({'a': 1}, b=2)
    return x * d['a'], dict(d)
=== ordered_update_setitem
class D(collections.OrderedDict):
    def __setitem__(self, k, v): super().__setitem__(k, v * 2)
d = D()
def step(x):
    d.update(a=1)
    d.setdefault('c', 1)
    return x * d['a']
--- state
dict(d)
=== dict_ior_pairs
d = {}
def step(x):
    global d
    d |= [('a', 1)]
    return x * d['a']
--- state
dict(d)
--- change
d.pop('a', None)
=== dict_ior_attr
class C: pass
c = C(); c.d = {}; e = c.d
def step(x):
    c.d |= [('a', len(c.d))]
    return x * 2
--- state
dict(c.d), c.d is e
--- change 3
c.d.clear()
=== ordered_ior
d = collections.OrderedDict(a=1)
def step(x):
    global d
    d |= {'z': 2}
    d |= {'y': 2}
    return x * len(d), list(d)
--- state
list(d), list(d.items()), len(d)
--- change 3
d.pop('z', None)
=== deque_imul
d = collections.deque([1])
e = d
def step(x):
    global d
    d *= 2
    return x * 2, d is e
--- state
list(e)
--- change 3
e.clear(); e.append(1); d = e
=== deque_imul_attr
class C: pass
c = C(); c.d = collections.deque([1], maxlen=3); e = c.d
def step(x):
    c.d *= 2
    c.d += [4]
    return x * 2
--- state
list(e), c.d is e
=== list_ior: raises
l = [1]
def step(x):
    global l
    l |= [2]
    return x
=== set_ior_list: raises
l = {1}
def step(x):
    global l
    l |= [2]
    return x
=== list_imul_zero
l = [1, 2]
e = l
def step(x):
    global l
    l *= 0
    return x * 2, len(l)
--- state
list(e), l is e
--- change
e[:] = [1, 2]
=== sum_str: raises
def step(x):
    return x, sum(['a', 'b'], '')
=== sum_bytes: raises
def step(x):
    return x, sum([b'a', b'b'], b'')
=== sum_lists: compiles
l = [[1], [2]]
def step(x):
    return x, sum(l, [])
--- change 3
l[0].append(5)
=== derived_map_type
def step(x):
    m = map(abs, [1, -2])
    f = filter(None, [0, 1])
    return x * 2, type(m).__name__, isinstance(m, map), hasattr(m, 'send'), list(m), type(f).__name__, list(f)
=== iter_type
class It:
    def __init__(self): self.n = 0
    def __iter__(self): return self
    def __next__(self):
        self.n += 1
        if self.n > 2: raise StopIteration
        return self.n
def step(x):
    o = It()
    it = iter(o)
    return x * 2, it is o, next(it), next(it), type(it).__name__
=== dict_key_user_eq
G = 1
class K:
    def __init__(self, s): self.s = s
    def __hash__(self): return hash(self.s)
    def __eq__(self, o): return G == 1
d = {K('a'): 2.0}
def step(x):
    return x * d.get('a', 5.0)
--- change 3
G = 2
=== namedtuple_new
class P(collections.namedtuple('P', 'a b')):
    def __new__(cls, a, b): return super().__new__(cls, a * 2, b)
def step(x):
    p = P(1, x)
    return p
=== namedtuple_new_state
class P(collections.namedtuple('P', 'a b')):
    n = 0
    def __new__(cls, a, b):
        P.n += 1
        return super().__new__(cls, a, b)
def step(x):
    return P(1, x)
--- state
P.n
=== iter_list_subclass
class L(list):
    def __iter__(self): return iter([9])
l = L([1, 2])
def step(x):
    return x * sum(l), list(l), [*l], tuple(l), len(l), l[0]
=== partial_setstate
def f(a, x): return x * a
p = functools.partial(f, 2)
def step(x):
    return p(x)
--- change 3
p.__setstate__((f, (5,), {}, None))
=== partial_with_other_names: compiles
p = functools.partial(lambda x, *, k: x * k, k=2)
def step(x):
    return p(x)
--- change 2
p.keywords['k'] += 1
--- change 4
p.__setstate__((p.func, (), {'k': 7}, None))
=== map_lazy: compiles
log = []
def f(v):
    log.append(v)
    return v
def step(x):
    m = map(f, [1, 2, 3])
    next(m)
    z = zip(m, [5, 6])
    next(z)
    return x * 2
--- state
list(log)
=== map_stop: compiles
def f(v):
    if v == 2: raise StopIteration
    return v
def step(x):
    return x * 2, list(map(f, [1, 2, 3]))
=== filter_false: compiles
def step(x):
    return (x * 2, list(itertools.filterfalse(lambda v: v > 1, [1, 2, 3])),
        list(filter(lambda v: v > 1, [1, 2, 3])))
=== filter_left
log = []
def f(v):
    log.append(v)
    return v
def step(x):
    m = filter(f, [1, 2, 3])
    next(m)
    return x * 2
--- state
list(log)
=== dict_comp_user_keys
G = []
class K:
    def __hash__(self):
        G.append(1)
        return 1
k = K()
def step(x):
    return x * 2, len({k: 1 for _ in range(2)}), len({k}), len({k: 2, 'a': 3})
--- state
len(G)
=== frozen_hash_call
G = []
class K:
    def __hash__(self):
        G.append(1)
        return 1
k = K()
def step(x):
    return x * 2, hash((1, k)), k in {}, {}.get(k), k in set()
--- state
len(G)
=== ordered_subclass_methods: compiles
log = []
class D(collections.OrderedDict):
    def __setitem__(self, k, v):
        log.append(k)
        super().__setitem__(k, v)
    def __delitem__(self, k):
        log.append('del ' + k)
        super().__delitem__(k)
d = D()
def step(x):
    d['a'] = 1
    d.update(b=2)
    d.setdefault('c', 3)
    d.pop('b')
    d.move_to_end('a')
    return x * len(d)
--- state
list(d.items()), list(log)
=== userdict: compiles
class D(collections.UserDict):
    def __setitem__(self, k, v): super().__setitem__(k, v * 2)
d = D()
def step(x):
    d.update(a=1)
    return x * d['a'] + d.get('b', 1)
--- state
dict(d.data)
=== defaultdict_subclass: compiles
log = []
class D(collections.defaultdict):
    def __setitem__(self, k, v):
        log.append(k)
        super().__setitem__(k, v)
d = D(int)
def step(x):
    d['a'] += 1
    return x * d['b']
--- state
dict(d), list(log)
=== derived_counter_class: compiles
c = collections.Counter('aab')
def step(x):
    c.update('ab')
    c['z'] += 1
    return x * 2, c.most_common(1)[0][0], (c + c)['a'] if False else 0
--- state
dict(c)
=== counter_class_ops
c = collections.Counter('aab')
def step(x):
    global c
    c |= collections.Counter('zz')
    d = c + c
    return x * d['a'], sorted(d.elements())
--- state
dict(c)
=== chainmap: compiles
m = collections.ChainMap({'a': 1}, {'b': 2})
def step(x):
    m['c'] = 4
    return x * m['b'] + m['a']
--- change 3
m.maps[1]['b'] = 5
--- state
list(map(dict, m.maps))
=== list_subclass_methods: compiles
log = []
class L(list):
    def append(self, v):
        log.append(v)
        super().append(v)
    def __setitem__(self, k, v): super().__setitem__(k, v * 2)
    def __len__(self): return 100
l = L([1])
def step(x):
    global l
    l.append(3)
    l[0] = 5
    l.extend([7])
    l.insert(0, 4)
    l += [1]
    return x * len(l) + sum(l)
--- state
list(l), list(log)
--- change
del l[2:]
=== set_subclass_methods
class S(set):
    def __contains__(self, v): return True
    def add(self, v): super().add(v + 1)
s = S([1])
def step(x):
    s.add(3)
    s.update([8])
    return x * (2 if 99 in s else 3), len(s), s | {1}
--- state
sorted(s)
=== derived_tuple_subclass: compiles
class T(tuple):
    def __getitem__(self, k): return 9
    def __len__(self): return 5
t = T([1, 2])
def step(x):
    a, b = t
    return x * t[0] + len(t), a, b, list(t)
=== bytes_subclass
class S(bytes):
    def __len__(self): return 9
s = S(b'ab')
def step(x):
    return x * len(s), s[0], bytes(s)
=== namedtuple_replace: compiles
P = collections.namedtuple('P', 'a b', defaults=[3])
p = P(1.0)
def step(x):
    q = p._replace(a=x)
    return q, q._asdict(), P._make([x, 1]), p == P(1.0), p._fields
--- change 3
p = P(2.0, 4)
=== namedtuple_attributes
class P(collections.namedtuple('P', 'a b')): pass
def step(x):
    p = P(x, 2)
    p.c = 3
    return p
=== dict_attributes_of_a_derived_class: compiles
class Output(collections.OrderedDict):
    def __init__(self, **parts):
        for name, part in parts.items(): setattr(self, name, part)
    def __getitem__(self, k):
        return dict(self.items())[k] if isinstance(k, str) else tuple(self[n] for n in self)[k]
    def __setattr__(self, name, value):
        super().__setitem__(name, value)
        super().__setattr__(name, value)
    def __delattr__(self, name):
        super().__delattr__(name)
def step(x):
    out = Output(loss=x.sum(), logits=x * 2)
    out.later = 3
    del out.later
    return out.loss + out[1], list(out), hasattr(out, 'later'), vars(out)
=== dict_set_by_a_method_of_dict: compiles
class D(dict):
    __getattr__ = dict.__getitem__
    __setattr__ = dict.__setitem__
    __delattr__ = dict.__delitem__
d = D(a=2, b=1)
def step(x):
    made = D(a=x)
    made.c = made.a * d.a
    d.n = len(d)
    del d.b
    d.b = 4
    return made['c'], sorted(made), made.__dict__
--- state
dict(d), vars(d)
=== dict_get_for_attributes: compiles
class D(dict):
    __getattr__ = dict.get
def step(x):
    made = D(a=x)
    return made.a * 2, made.b
=== derived_results: compiles
class Output(collections.OrderedDict):
    def __setitem__(self, k, v): super().__setitem__(k, v); super().__setattr__(k, v)
    def __getitem__(self, k): return 9
    def __iter__(self): return iter(())
class Names(dict):
    def __setitem__(self, k, v): raise TypeError
class Row(list):
    def append(self, v): super().append(v); self.n = len(self)
    def __iter__(self): return iter(())
    def extend(self, v): raise TypeError
def step(x):
    out, row = Output(), Row()
    out['loss'], out['logits'] = x.sum(), x * 2
    row.append(x)
    both = [out, Names(a=x, b=row), row]
    return both, list(out), row.n
--- state
[[type(p).__name__, vars(p)] for p in last[0]], dict.copy(last[0][0]), dict(last[0][1]), list.copy(last[0][2])
=== derived_result_holds_itself
class D(dict):
    def __init__(self, **parts): super().__init__(**parts); self.__dict__ = self
def step(x):
    return D(a=x)
=== derived_result_with_slots
class D(dict):
    __slots__ = ('n', '__dict__')
def step(x):
    made = D(a=x)
    made.n = 3
    return made
=== result_with_a_slot
class C:
    __slots__ = ('n', '__dict__')
def step(x):
    made = C()
    made.n, made.x = 3, x
    return made
--- state
last.n, vars(last)
''')
