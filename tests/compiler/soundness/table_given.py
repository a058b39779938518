"""Programs that change, keep or return the containers that they are given."""

from __future__ import annotations

from .programs import read

PROGRAMS = read(r'''
=== given_dict_that_is_updated: compiles
def step(d):
    d['y'] = d['x'] + 1
    d.pop('x')
    return d
--- call
{'x': torch.ones(2) * n, 'z': 1}
=== given_dicts_in_a_dict: compiles
def step(batch):
    batch['x'].mul_(2)
    batch['meta']['seen'] = True
    batch['meta'].setdefault('k', []).append(batch['x'].sum())
    return (batch['x'].sum(), batch['meta'])
--- call
{'x': torch.ones(2), 'meta': {}}
=== given_containers_returned: compiles
def step(l, d):
    return (d, [l, l], (l,), {'d': d})
--- call
[torch.ones(2)], {'k': 2}
=== given_tensors_without_attributes: compiles
def tagged(n):
    t = torch.ones(2) * n
    if n in (3, 5): t.tag = 4.0
    return t
def step(a, d):
    y = d['x'] * 2 if hasattr(d['x'], 'tag') else d['x'] * 3
    return y + getattr(a, 'tag', 1.0), copy.deepcopy(a)
--- call
torch.ones(2), {'x': tagged(n)}
=== given_parameter_that_gets_an_attribute: compiles
w = torch.nn.Parameter(torch.ones(2))
def step(a, b): return a * getattr(a, 'scale', 2.0) + getattr(b, 'scale', 3.0), a.sum().backward()
--- call
w, torch.ones(2) if n != 4 else w
--- change 3
w.scale = 7.0
--- change 5
del w.scale
--- change 6
w.other = 1.0
--- state
w.grad
=== given_list_that_is_read_elsewhere
G = [torch.ones(2)]
def step(l, x):
    l.append(x)
    return (len(G), G[-1] * 1)
--- call
[torch.zeros(2)] if n % 2 == 0 else G, torch.ones(2)
--- state
G
=== given_list_twice
S = [[torch.ones(1)] for _ in range(7)]
def step(a, b):
    a.append(1.0)
    return len(b)
--- call
S[n], S[n] if n > 2 else [torch.ones(1)]
--- state
S
=== given_dict_kept: compiles
keep = []
def step(d):
    d['n'] = len(keep)
    keep.append(d)
    return d
--- call
{'x': torch.ones(2) * n}
--- change 3
keep[0]['x'].zero_()
--- state
keep
=== given_deque_and_list
def step(q, l, s):
    q.appendleft(l.pop())
    q.rotate(1)
    l.sort()
    l[0] = 9
    del l[-1]
    l += [4]
    l.insert(0, q[0] * 2)
    return (list(q), l[::-1])
--- call
collections.deque([torch.ones(1)], maxlen=2), [3, 1, 2, torch.ones(1) * n], {1}
=== given_dict_changed_before_an_error: raises
def step(d):
    d['a'] = d['x'] * 2
    if d['x'].sum() > 6:
        raise ValueError(len(d))
    return d
--- call
D.append({'x': torch.ones(2) * n}) or D[-1]
--- change 0
D = []
--- state
D
=== given_dict_gets_a_loss: compiles
w = nn.Parameter(torch.ones(2))
def step(d):
    d['loss'] = (w * d['x']).sum()
    d['out'] = w * 2
    return None
--- call
D.append({'x': torch.ones(2) * n}) or D[-1]
--- change 0
D = []
--- change 2 4
D[-1]['loss'].backward()
--- state
[d['out'] for d in D], w.grad
=== given_dict_through_functions: compiles
m = nn.Linear(2, 2)
def norm(b):
    b['x'] = (b['x'] - b['x'].mean()) / 2
    return b
def fwd(b):
    b['logits'] = m(b['x'])
    return b
def loss(b):
    b['loss'] = F.cross_entropy(b['logits'][None], b['y'])
    return b
def step(b):
    for f in (norm, fwd, loss):
        b = f(b)
    b['loss'].backward()
    return b
--- call
{'x': torch.ones(2) * n, 'y': torch.tensor([n % 2])}
--- state
[p.grad for p in m.parameters()]
=== given_keywords_changed: compiles
def step(x, **kw):
    kw['y'] = kw.pop('a', 0) + 1
    return (x * kw['y'], kw)
--- call
torch.ones(2), **({'a': n} if n % 2 else {'b': 1})
=== given_tensor_is_the_key: compiles
T = [torch.ones(2) * i for i in range(3)]
D = {T[0]: 2.0, T[1]: 3.0}
def step(x):
    return x * D.get(x, 7.0) * (2 if x in D else 1)
--- call
T[n % 3] if n < 5 else torch.ones(2)
=== given_tensor_becomes_a_key
T = [torch.ones(2) * i for i in range(3)]
D = {T[0]: 2.0, (T[1], 1): 3.0}
def step(x):
    D[x, 1] = D.pop(x, 1.0) + 1
    return x * len(D)
--- call
T[n % 3]
--- state
sorted(D.values())
''')
