"""Programs about what a trace makes and what was there before: leaves, views, places, iterators, patterns."""

from __future__ import annotations

from .programs import read

PROGRAMS = read(r'''
=== counter_type: compiles raises
d = {'n': 1}
def step(x):
    k = d['n']
    d['n'] = k + 1
    return (x * 2 if isinstance(k, int) else x), type(k).__name__
--- change 3
d['n'] = 1.5
--- change 5
d['n'] = 'a'
--- state
d
=== counter_bool: compiles
d = {'n': 1}
def step(x):
    k = d['n']
    d['n'] = k + 1
    return x, k
--- change 3
d['n'] = True
--- change 5
d['n'] = torch.ones(2)
--- state
d
=== view_iadd: compiles
t = torch.arange(4.0)
def step(x):
    t[0] += 1
    x = x * 1
    x[1:] += t[:2]
    return x + t[0]
--- state
t
=== view_iadd2: compiles
def step(x):
    y = x.clone()
    k = 2
    y[:k] *= 2
    z = y[0]
    z += 1
    y[1:3] -= y[0:1]
    return y, z
=== view_iadd3: compiles
t = torch.arange(6.0).view(2, 3)
def step(x):
    t[0, 1] += 1
    t[:, 1:] += x[:2]
    t.T[0] += 1
    t[0][1] += 3
    return t.sum() + x
--- state
t
=== no_takes: raises
t = torch.zeros(1).expand(3)
def step(x):
    t.copy_(x)
    return x * 2
--- state
t
=== handled_singular: compiles
def step(x):
    try:
        return torch.linalg.inv(torch.zeros(2, 2) * x[0])
    except RuntimeError:
        return x
=== leaves_grad_off
def step(x):
    y = x.requires_grad_() * 2
    torch.set_grad_enabled(not torch.is_grad_enabled())
    return y
--- state
torch.is_grad_enabled(), torch.set_grad_enabled(True)
=== leaves_default_dtype
def step(x):
    torch.set_default_dtype(torch.float64)
    return torch.ones(2), x
--- state
torch.get_default_dtype(), torch.set_default_dtype(torch.float32)
=== enters_without_leaving: compiles
c = torch.no_grad()
def step(x):
    c.__enter__()
    return x * 2
--- state
torch.is_grad_enabled(), torch.set_grad_enabled(True)
=== view_iadd4: compiles
def step(x):
    w = torch.ones(3, requires_grad=True)
    y = w * x
    y[0] += 1
    y[1:] *= x[0]
    y[:, None][1] -= 2
    y.exp().sum().backward()
    return w.grad, y.detach()
=== view_iadd5: raises
t = torch.arange(6.0)
def step(x):
    t[1:5] += t[0:4]
    return t + x[0]
--- state
t
=== view_iadd6: compiles
t = torch.arange(6.0).view(2, 3)
def step(x):
    t[:, 1] += t[:, 0]
    t[:, 1:] += t[:, :2]
    t[:, 2] = t[:, 1]
    return t + x[0]
--- state
t
=== view_iadd7: raises
t = torch.arange(6.0).view(2, 3)
def step(x):
    t[0].add_(t[0])
    t[0].addcmul_(t[0], t[1])
    t[0][torch.tensor([0, 1])] = t[0][:2]
    return t + x[0]
--- state
t
=== view_iadd8: compiles
t = torch.arange(4.0)
def step(x):
    t[0:3].lerp_(t[0:3], 0.5)
    t[:] = t
    t[...] += t
    t[:2], t[2:] = t[2:], t[:2]
    return t + x[0]
--- state
t
=== leaf_inside
def step(x):
    w = torch.ones(3, requires_grad=True)
    v = w * 2
    u = v.view(3)
    y = (u * x).exp()
    z = (w[:1] * x).sum()
    return y, v, z, w, u
=== leaf_inside_backward: compiles
def step(x):
    w = torch.ones(3, requires_grad=True)
    v = w * 2
    (v * x + w[1:].sum()).exp().sum().backward()
    g, = torch.autograd.grad((v.detach().requires_grad_() * x).sum() + (w ** 3 * x).sum(), w)
    return w.grad, g, v
=== leaf_inside_written: compiles
def step(x):
    w = torch.ones(3, requires_grad=True)
    y = w * x
    with torch.no_grad():
        w.add_(x)
        w -= 0.5
    y.sum().backward()
    with torch.no_grad():
        w -= 0.1 * w.grad
    return w.grad, w.detach()
=== descent_inside: compiles
def step(x):
    w = torch.zeros(3, requires_grad=True)
    for n in range(4):
        loss = ((w - x) ** 2).sum()
        g, = torch.autograd.grad(loss, w)
        w = (w - 0.1 * g).detach().requires_grad_()
    return w
=== higher_inside: compiles
def step(x):
    w = torch.ones(3, requires_grad=True)
    g, = torch.autograd.grad((w ** 3 * x).sum(), w, create_graph=True)
    h, = torch.autograd.grad((g * x).sum(), w)
    return g.detach(), h
=== func_inside: compiles
def step(x):
    w = torch.ones(3, requires_grad=True)
    g = torch.func.grad(lambda v: (v * w * x).sum())(x)
    g.sum().backward()
    return w.grad
=== returned_leaf
def step(x):
    w = torch.ones(3, requires_grad=True)
    y = w * x
    return y, w
--- change
last is None or last[0].sum().backward()
--- state
None if last is None else last[1].grad
=== only_made: compiles
def step(x):
    w = torch.ones(3, requires_grad=True)
    return (w * x).exp()
--- change
last is None or last.sum().backward()
=== in_list
log = []
def step(x):
    w = torch.ones(3, requires_grad=True)
    log.append(w)
    return (w * x).exp()
--- change
last is None or last.sum().backward()
--- state
[w.grad for w in log]
=== hooked
log = []
def step(x):
    w = torch.ones(3, requires_grad=True)
    w.register_hook(lambda g: log.append(g))
    return (w * x).exp()
--- change
last is None or last.sum().backward()
--- state
log
=== retained
def step(x):
    w = torch.ones(3, requires_grad=True)
    y = w * x
    y.retain_grad()
    return y.exp(), y
--- change
last is None or last[0].sum().backward()
--- state
None if last is None else last[1].grad
=== hooked_inner
log = []
v = torch.ones(3, requires_grad=True)
def step(x):
    y = v * x
    y.register_hook(lambda g: log.append(g))
    return y.exp()
--- change
last is None or last.sum().backward()
--- state
log
=== hook_and_backward: compiles
log = []
v = torch.ones(3, requires_grad=True)
def step(x):
    y = v * x
    y.register_hook(lambda g: log.append(g) or g * 2)
    y.exp().sum().backward()
    return y.detach()
--- state
log, v.grad
=== node_hook: compiles
log = []
v = torch.ones(3, requires_grad=True)
def step(x):
    y = v * x
    y.grad_fn.register_hook(lambda a, b: log.append(len(a)))
    y.exp().sum().backward()
    return y.detach()
--- state
log, v.grad
=== saved_hooks: compiles
log = []
v = torch.ones(3, requires_grad=True)
def pack(t):
    log.append(1)
    return t
def step(x):
    with torch.autograd.graph.saved_tensors_hooks(pack, lambda t: t * 1):
        y = (v * x).exp()
    y.sum().backward()
    return y.detach()
--- state
log, v.grad
=== match_seq: compiles
l = [1.0, 2.0, 3.0]
def step(x):
    match l:
        case [a, b]: return x * a + b
        case [a, *rest]: return x * a + sum(rest)
        case _: return x
--- change 2
l.pop()
--- change 4
l = 3
=== match_values: compiles
mode = "a"
def step(x):
    match mode:
        case "a" | "b": return x * 2
        case str(s): return x + len(s)
        case int(n) if n > 2: return x * n
        case {"k": [a, b], **rest}: return x * a + b + len(rest)
        case (1, float(f)): return x * f
        case None: return x
--- change 1
mode = "ccc"
--- change 2
mode = 5
--- change 3
mode = {"k": [1, 2], "z": 3}
--- change 4
mode = (1, 2.5)
--- change 5
mode = None
=== index_many: compiles
class I:
    k = 1
    def __index__(self): return self.k
i = I()
l = [2.0, 3.0, 4.0]
def step(x):
    m = list(l)
    m[i] = 5.0
    del m[I()]
    m.insert(i, 1.0)
    return x * m[i] + len(l[i:]) + len("abc"[i:]) + sum(range(i)) + l[-1]
--- change 3
I.k = 2
=== views_many: compiles
d = {"a": 1.0, "b": 2.0}
k, v, it = d.keys(), d.values(), d.items()
def step(x):
    return x * len(k) + sum(v) + sum(b for a, b in it) + ("c" in k) + (5.0 in v), list(k), tuple(reversed(v))
--- change 2
d["c"] = 5.0
--- change 4
d["a"] = d.pop("a")
=== set_subclass: compiles
log = []
class S(set):
    def __iter__(self):
        log.append("iter")
        return set.__iter__(self)
    def __len__(self):
        log.append("len")
        return set.__len__(self)
s = S([1.0])
def step(x):
    y = x * len(s) + (1.0 in s)
    for v in s: y = y + v
    s.add(2.0)
    return y
--- state
log, set.__len__(s)
=== list_subclass: compiles
log = []
class L(list):
    def __iter__(self):
        log.append("iter")
        return list.__iter__(self)
    def __getitem__(self, i):
        log.append("get")
        return list.__getitem__(self, i)
l = L([1.0, 2.0])
def step(x):
    y = x + sum(l) + l[0] + max(l) + len(l) + (1.0 in l) + l.count(1.0)
    l.append(1.0)
    l.sort()
    a, *b = l
    l[0] = 3.0
    return y + a, sorted(l), [*l], list(l), tuple(l), l.index(2.0)
--- state
log, list.__len__(l)
=== dict_subclass: compiles
log = []
class D(dict):
    def __iter__(self):
        log.append("iter")
        return dict.__iter__(self)
    def __getitem__(self, i):
        log.append("get")
        return dict.__getitem__(self, i)
    def __len__(self):
        log.append("len")
        return 5
    def keys(self):
        log.append("keys")
        return dict.keys(self)
    def __contains__(self, i):
        log.append("contains")
        return dict.__contains__(self, i)
d = D(a=1.0, b=2.0)
def step(x):
    y = x + d["a"] + len(d) + ("a" in d) + d.get("b")
    for k in d: y = y + d[k]
    e = dict(d)
    f = {**d}
    d["c"] = 3.0
    d.update(q=2.0)
    d.pop("q")
    return y, e, f, sorted(d), list(d.values())
--- state
log, dict.__len__(d)
=== exc_args: compiles
e = ValueError(2.0)
def step(x): return x * e.args[0]
--- change 3
e.args = (3.0,)
=== exc_written
e = ValueError(2.0)
def step(x):
    e.args = (e.args[0] + 1,)
    e.add_note("n")
    return x * e.args[0]
--- state
e.args, getattr(e, "__notes__", None)
=== exc_caught: compiles
def step(x):
    try:
        raise ValueError("a", 2.0)
    except ValueError as e:
        k = e.args[1]
    try:
        torch.ones(2) + torch.ones(3)
    except RuntimeError as e:
        k += len(e.args)
    return x * k
=== place_class: compiles
d = {"w": torch.ones(3)}
def step(x):
    d["w"] = (d["w"] * 0.5 + x).detach()
    return x, isinstance(d["w"], nn.Parameter)
=== place_class2: compiles
d = {"w": torch.ones(3)}
def step(x):
    k = isinstance(d["w"], nn.Parameter)
    d["w"] = (d["w"] * 0.5 + x).detach()
    return x * 2 if k else x
--- change 4
d["w"] = nn.Parameter(torch.ones(3), requires_grad=False)
--- state
d
=== place_tag: compiles
d = {"w": torch.ones(3)}
d["w"].tag = 2.0
def step(x):
    k = getattr(d["w"], "tag", 1.0)
    d["w"] = (d["w"] * 0.5 + x).detach()
    return x * k
--- change 4
d["w"].tag = 5.0
--- state
d
=== place_is: compiles
t0 = torch.ones(3)
d = {"w": torch.ones(3)}
def step(x):
    k = d["w"] is t0
    d["w"] = (d["w"] * 0.5 + x).detach()
    return x * 2 if k else x
--- change 4
d["w"] = t0
--- state
d
=== place_key: compiles
t0 = torch.ones(3)
d = {"w": torch.ones(3)}
m = {t0: 2.0}
def step(x):
    k = m.get(d["w"], 1.0)
    d["w"] = (d["w"] * 0.5 + x).detach()
    return x * k
--- change 4
d["w"] = t0
--- state
d
=== hash_of_tuple
def step(x): return hash((x,)) != 5, x
=== cell_shared: compiles
def make():
    n = 0
    def inc():
        nonlocal n
        n += 1
        return n
    return inc
inc = make()
def step(x):
    k = 1
    def up():
        nonlocal k
        k += inc()
        return k
    a = up() + up()
    return x * a
--- state
inc.__closure__[0].cell_contents
=== two_places_same: compiles
a, b = {"h": torch.zeros(3)}, {"h": torch.zeros(3)}
def step(x):
    h = torch.tanh(x + a["h"] * b["h"])
    a["h"] = b["h"] = h
    return h
--- change 5
b["h"] = torch.ones(3)
--- state
a, b, a["h"] is b["h"]
=== swap_places: compiles
a = {"p": torch.zeros(3), "q": torch.ones(3)}
def step(x):
    a["p"], a["q"] = a["q"], a["p"] + x
    return a["p"] * 2
--- state
a
=== list_swap: compiles
l = [torch.zeros(3), torch.ones(3)]
def step(x):
    l[0], l[1] = l[1], l[0]
    return l[0] + x
--- state
l
=== gen_left: compiles
log = []
def g():
    try:
        yield 1
        yield 2
    finally:
        log.append("end")
def step(x):
    for v in g():
        x = x + v
        break
    log.append("after")
    return x
--- state
log
=== with_suppress: compiles
def step(x):
    with contextlib.suppress(KeyError):
        {}["a"]
    with torch.no_grad():
        try:
            raise ValueError(3)
        except ValueError:
            x = x + 1
    try:
        with torch.enable_grad():
            raise ValueError(3)
    except ValueError:
        x = x * 2
    return x, torch.is_grad_enabled()
=== cached_prop: compiles
class O:
    k = 2.0
    @functools.cached_property
    def p(self): return self.k * 2
o = O()
def step(x): return x * o.p
--- change 3
O.k = 3.0
--- change 4
del o.p
=== descriptor: compiles
class D:
    def __get__(self, o, c): return o.v * 2
    def __set__(self, o, v): o.v = v
class O:
    d = D()
o = O()
o.d = 1.0
def step(x):
    o.d = o.d + 1
    return x * o.d
--- state
o.v
=== iterator_class: compiles
class I:
    def __init__(self, n): self.n = n
    def __iter__(self): return self
    def __next__(self):
        if self.n == 0: raise StopIteration
        self.n -= 1
        return self.n
def step(x):
    for v in I(3): x = x + v
    a, b, c = I(3)
    return x * a + sum(I(4)) + max(I(3)), list(I(2)), dict(zip("ab", I(2)))
=== ternary_counter: compiles
d = {"n": 0}
def step(x):
    d["n"] += 1
    return x * 2 if d["n"] % 3 == 0 else x
--- state
d
=== float_counter: compiles
d = {"n": 0.5, "m": 10}
def step(x):
    d["n"] *= 0.5
    d["m"] //= 2
    return x * 2, d["n"], f"{d['n']:.3f}", d["m"]
--- change 4
d["m"] = 0
--- state
d
=== counter_div: compiles raises
d = {"n": 3}
def step(x):
    d["n"] -= 1
    return x, 1 / d["n"]
--- state
d
=== counter_in_tensor: compiles
d = {"n": 0}
def step(x):
    d["n"] += 1
    return x * d["n"] + torch.full((3,), float(d["n"]))
--- state
d
=== append_results: compiles
log = []
def step(x):
    log.append((x * 2, {"k": [x]}))
    log[-1][1]["k"].append(x + 1)
    return len(log), log[-1][0] + 1
--- state
log
=== alias_out: compiles
l = [torch.ones(3)]
def step(x):
    y = x * 2
    l.append(y)
    l[0] = y
    return y, l[0] is y, l[-1].view(3)
--- state
l, l[0] is l[-1]
=== default_mutable: compiles
def f(x, acc=[]):
    acc.append(1.0)
    return x + sum(acc)
def step(x): return f(x)
--- state
f.__defaults__
=== seam_dict_order: compiles
d = {"a": 1.0, "b": 2.0}
def step(x):
    v = d.pop("a")
    d["a"] = v + 1
    for k in d: x = x * 2 + d[k]
    return x, list(d)
--- state
d, list(d)
=== setdefault: compiles
d = {}
def step(x):
    d.setdefault("k", []).append(x.sum())
    return x + len(d["k"])
--- state
d
=== defaultdict: compiles
d = collections.defaultdict(list)
def step(x):
    d["k"].append(2.0)
    return x + sum(d["k"]), len(d)
--- state
d
=== counter_class: compiles
c = collections.Counter()
def step(x):
    c["a"] += 1
    c.update(["b", "b"])
    return x + c["a"] + c["b"]
--- state
c
=== deque_max: compiles
q = collections.deque([1.0], maxlen=3)
def step(x):
    q.append(float(len(q)))
    return x + sum(q), q.maxlen
--- state
q
=== heapq: compiles
import heapq
h = [3.0, 4.0]
def step(x):
    heapq.heappush(h, 1.0)
    return x + heapq.heappop(h)
--- state
h
=== global_list_sort: compiles
l = [3.0, 1.0, 2.0]
def step(x):
    l.sort(key=lambda v: -v)
    l.append(5.0)
    return x + l[0]
--- state
l
=== string_building: compiles
s = "a"
def step(x):
    global s
    s += "b"
    return x + len(s), s.upper()
--- state
s
=== heap: compiles
import heapq
h = [3.0, 4.0]
def step(x):
    heapq.heappush(h, 1.0)
    k = [5, 2, 8]
    heapq.heapify(k)
    return x + heapq.heappop(h) + heapq.nlargest(2, k)[0] + heapq.nsmallest(1, k)[0]
--- change 3
h.append(0.5)
--- state
h
=== seam_counter_class
c = collections.Counter()
def step(x):
    c["a"] += 1
    c.update(["b", "b"])
    return x + c["a"] + c["b"] + c["none"], c.most_common(1), collections.Counter("abca")
--- state
c
=== itools: compiles
log = []
def g(n):
    for i in range(n):
        log.append(i)
        yield i
l = [1.0, 2.0]
def step(x):
    for a, b in itertools.zip_longest(g(2), g(4), fillvalue=9):
        x = x + a * b
        if b == 2: break
    for a, b in itertools.pairwise(g(3)): x = x * a + b
    for i in itertools.count(1, 2):
        if i > 5: break
        x = x + i
    n = 0
    for v in itertools.cycle(l):
        n += 1
        if n > 5: break
        x = x * v
    x = x + sum(itertools.accumulate(l)) + sum(itertools.accumulate(l, lambda a, b: a * b, initial=2.0))
    x = x + sum(itertools.takewhile(lambda v: v < 2, l)) + sum(itertools.dropwhile(lambda v: v < 2, l))
    x = x + sum(itertools.compress(l, [1, 0])) + sum(itertools.filterfalse(lambda v: v > 1, l))
    x = x + sum(itertools.chain.from_iterable([l, l]))
    x = x + len(list(itertools.combinations_with_replacement(l, 2)))
    its = [iter(l), iter(l)]
    x = x + sum(map(next, its))
    for a in map(lambda v: v * 2, g(3)):
        if a: break
    return x, list(itertools.islice(itertools.count(), 3))
--- change 3
l.append(3.0)
--- state
log
''')
