"""Programs whose tensors become state or numbers: hidden states, histories, `item`, branches on data."""

from __future__ import annotations

from .programs import read

PROGRAMS = read('''
=== hidden_state_attribute:
class M(nn.Module):
    h = None
    def forward(self, x):
        h = torch.zeros(3) if self.h is None else self.h
        self.h = torch.tanh(x * 0.1 + h)
        return self.h
m = M()
def step(x): return m(x)
--- state
m.h
=== hidden_state_returned_is_kept: compiles
class O: pass
o = O(); o.h = torch.zeros(3)
def step(x):
    o.h = o.h + x
    return o.h
--- state
o.h
=== hidden_state_in_list:
l = [torch.zeros(3)]
def step(x):
    l[0] = l[0] + x
    return l[0] * 2
--- state
l
=== hidden_state_in_dict: compiles
d = {"h": torch.zeros(3)}
def step(x):
    d["h"] = d["h"] * 0.5 + x
    return d["h"] * 2
--- state
d
=== hidden_state_in_closure:
def make():
    h = torch.zeros(3)
    def step(x):
        nonlocal h
        h = h + x
        return h * 2
    return step, lambda: h
step, get = make()
--- state
get()
=== hidden_state_in_global:
h = torch.zeros(3)
def step(x):
    global h
    h = h + x
    return h * 2
--- state
h
=== hidden_state_in_slot:
class O: __slots__ = ("h",)
o = O(); o.h = torch.zeros(3)
def step(x):
    o.h = o.h + x
    return o.h * 2
--- state
o.h
=== hidden_state_in_class:
class O: h = torch.zeros(3)
def step(x):
    O.h = O.h + x
    return O.h * 2
--- state
O.h
=== hidden_state_reset_between:
class O: h = torch.zeros(3)
o = O()
def step(x):
    o.h = o.h + x
    return o.h * 2
--- change 3
o.h = torch.zeros(3)
--- state
o.h
=== hidden_state_set_to_none_between:
class O: pass
o = O(); o.h = None
def step(x):
    if o.h is None: o.h = torch.zeros(3)
    o.h = o.h + x
    return o.h * 2
--- change 3
o.h = None
--- state
o.h
=== hidden_state_other_shape:
class O: pass
o = O(); o.h = torch.zeros(3)
def step(x):
    o.h = o.h[..., : x.shape[-1]] + x
    return o.h * 2
--- change 3
o.h = torch.zeros(2, 3)
--- state
o.h
=== hidden_state_is_argument:
class O: h = None
o = O()
def step(x):
    o.h = x
    return x * 2
--- state
o.h
=== hidden_state_is_view_of_argument:
class O: h = None
o = O()
def step(x):
    o.h = x[1:]
    return x * 2
--- state
o.h
=== hidden_state_is_the_other:
class O: pass
o = O(); o.a, o.b = torch.zeros(3), torch.ones(3)
def step(x):
    o.a, o.b = o.b, o.a + x
    return o.a * 2
--- state
o.a, o.b
=== hidden_state_swapped:
class O: pass
o = O(); o.a, o.b = torch.zeros(3), torch.ones(3)
def step(x):
    o.a, o.b = o.b, o.a
    return o.a * x
--- state
o.a, o.b
=== hidden_state_with_graph: raises
w = torch.ones(3, requires_grad=True)
class O: h = torch.zeros(3)
o = O()
def step(x):
    o.h = o.h + x * w
    return o.h.sum()
--- change 3
last.backward()
--- state
w.grad, o.h
=== hidden_state_previous_kept:
class O: pass
o = O(); o.h = torch.zeros(3)
seen = []
def step(x):
    o.h = o.h + x
    return o.h
--- change
seen.append(o.h)
--- state
seen
=== hidden_state_written_in_place: compiles
class O: pass
o = O(); o.h = torch.zeros(3)
def step(x):
    o.h.mul_(0.5).add_(x)
    return o.h * 2
--- state
o.h
=== hidden_state_copied_into: compiles
h = torch.zeros(3)
def step(x):
    h.copy_(h * 0.5 + x)
    return h * 2
--- state
h
=== ring_buffer: compiles
b = torch.zeros(4, 3)
def step(x, i):
    b[i] = x
    return b.sum(0)
--- call
torch.arange(1.0, 4.0) + n, n % 4
--- state
b
=== ring_buffer_with_python_index:
b = torch.zeros(4, 3)
i = 0
def step(x):
    global i
    b[i] = x
    i = (i + 1) % 4
    return b.sum(0)
--- state
b, i
=== history_of_losses:
losses = []
def step(x):
    loss = (x * 2).sum()
    losses.append(loss.detach())
    return loss
--- state
losses
=== history_of_items:
losses = []
def step(x):
    loss = (x * 2).sum()
    losses.append(loss.item())
    return loss
--- state
losses
=== running_average_of_items:
class O: mean = 0.0
o = O()
def step(x):
    loss = (x * 2).sum()
    o.mean = 0.5 * o.mean + 0.5 * loss.item()
    return loss * o.mean
--- state
o.mean
=== best_so_far:
best = float("inf")
def step(x):
    global best
    loss = (x - 5).pow(2).sum()
    if loss.item() < best:
        best = loss.item()
    return loss, best
--- state
best
=== early_stop:
class Stop(Exception): pass
waited = 0
def step(x):
    global waited
    loss = x.sum()
    if loss > 15:
        waited += 1
    return loss, waited > 1
--- state
waited
=== item_returned:
def step(x): return (x * 2).sum().item()
=== item_of_state:
t = torch.ones(3)
def step(x): return x * t[0].item()
--- change 3
t.add_(1)
=== item_of_integer_as_index:
l = [2.0, 3.0, 4.0]
def step(x): return x * l[x.argmax().item()]
--- call
torch.eye(3)[n % 3]
=== item_as_shape:
def step(x): return torch.ones(int(x[0].item())) * 2
=== item_formatted:
def step(x): return f"{x.sum().item():.1f}"
=== tensor_formatted:
def step(x): return f"{x.sum():.1f}", str(x), repr(x * 2)
=== tensor_tolist:
def step(x): return (x * 2).tolist()
=== tensor_as_float_int_bool:
def step(x): return float(x[0]), int(x[1]), bool(x[2]), x[0].__index__() if not x.is_floating_point() else 0
=== tensor_branch:
def step(x): return x * 2 if x.sum() > 12 else x * 3
=== tensor_branch_on_state:
t = torch.tensor(1.0)
def step(x): return x * 2 if t > 0 else x * 3
--- change 3
t.neg_()
=== tensor_branch_by_and:
def step(x): return x * 2 if x[0] > 2 and x[1] > 4 else x * 3
=== tensor_branch_by_any:
def step(x): return x * 2 if any(v > 5 for v in x) else x * 3
=== tensor_while:
def step(x):
    while x.sum() < 40:
        x = x * 2
    return x
=== tensor_while_of_state:
t = torch.tensor([4.0])
def step(x):
    while t > 1:
        t.sub_(1)
        x = x * 2
    return x
--- change 3
t.add_(4)
--- state
t
=== tensor_in_list:
l = [torch.tensor(1.0), torch.tensor(2.0)]
def step(x): return x * 2 if x[0] in l else x * 3
--- change
l[0] = torch.tensor(float(n))
=== tensor_equal:
t = torch.arange(1.0, 4.0) + 3
def step(x): return x * 2 if torch.equal(x, t) else x * 3
=== tensor_allclose:
t = torch.arange(1.0, 4.0) + 3
def step(x): return x * 2 if torch.allclose(x, t) else x * 3
=== tensor_maximum_by_python:
def step(x): return max(x[0], x[1]), min(x)
=== tensor_sorted_by_python:
def step(x): return sorted([x[2], x[0], x[1]])
=== tensor_iterated: compiles
def step(x): return [v * 2 for v in x]
=== tensor_unpacked: compiles
def step(x):
    a, b, c = x
    return a + b * c
=== tensor_length_and_shape: compiles
def step(x): return x * len(x), x.shape, x.size(0), x.numel(), x.dim()
--- call
torch.ones(n % 2 + 1, 2)
=== tensor_nonzero_shape:
def step(x): return x[x > 4], (x > 4).nonzero()
=== tensor_unique:
def step(x): return torch.unique(x // 4)
=== tensor_where: compiles
def step(x): return torch.where(x > 4, x * 2, x * 3)
=== tensor_range_of_item:
def step(x): return sum(x * k for k in range(int(x[0])))
=== tensor_hash_and_id:
t = torch.ones(3)
def step(x): return x * 2 if hash(t) == id(t) else x
=== tensor_as_key_in_set:
s = set()
t = torch.ones(3)
def step(x):
    s.add(t)
    return x * len(s)
--- state
len(s)
=== tensor_stored_and_compared_by_is:
held = []
def step(x):
    y = x * 2
    held.append(y)
    return held[-1] is y, y
--- state
held
=== result_stored_and_returned:
class O: pass
o = O()
def step(x):
    o.y = x * 2
    return o.y
--- state
o
=== result_stored_twice:
class O: pass
o = O()
def step(x):
    o.y = o.z = x * 2
    o.v = o.y[1:]
    return x + 1
--- state
o
=== cache_filled_once:
class O: cache = None
o = O()
def step(x):
    if o.cache is None: o.cache = torch.arange(3.0) * 2
    return x * o.cache
--- state
o.cache
=== cache_filled_once_with_argument:
class O: cache = None
o = O()
def step(x):
    if o.cache is None: o.cache = x * 2
    return x * o.cache
--- change 4
o.cache = None
--- state
o.cache
=== key_value_cache:
class O: k = None
o = O()
def step(x):
    o.k = x[None] if o.k is None else torch.cat([o.k, x[None]])
    return o.k.sum(0)
--- state
o.k
=== schedule_by_counter:
k = 0
def step(x):
    global k
    k += 1
    return x * 2 if k % 3 == 0 else x * 3
--- state
k
=== training_with_log_every_second:
m = nn.Linear(3, 1)
o = torch.optim.SGD(m.parameters(), lr=0.01)
calls = 0
def step(x):
    global calls
    o.zero_grad()
    loss = m(x).sum()
    loss.backward()
    o.step()
    if calls % 2 == 0: print(f"{calls}: {tuple(loss.shape)}")
    calls += 1
    return loss.detach()
--- state
m, calls
=== gradient_norm_logged:
norms = []
m = nn.Linear(3, 1)
def step(x):
    m.zero_grad()
    m(x).sum().backward()
    norms.append(m.weight.grad.norm().item())
    return m.weight.grad
--- state
norms
=== loss_scaled_by_previous:
class O: scale = 1.0
o = O()
w = torch.ones(3, requires_grad=True)
def step(x):
    loss = (x * w).sum() * o.scale
    loss.backward()
    if w.grad.abs().max() > 8: o.scale = 0.5
    return loss.detach()
--- state
w.grad, o.scale
=== metric_object:
class Mean:
    def __init__(self): self.total, self.count = torch.zeros(()), 0
    def update(self, v):
        self.total = self.total + v
        self.count += 1
    def value(self): return self.total / self.count
mean = Mean()
def step(x):
    mean.update(x.sum())
    return mean.value()
--- state
mean
=== metric_in_place: compiles
total, count = torch.zeros(()), torch.zeros(())
def step(x):
    total.add_(x.sum())
    count.add_(1)
    return total / count
--- state
total, count
=== detached_shares_memory: compiles
h = torch.zeros(3)
def step(x):
    h.add_(x)
    return h.detach(), h.view(3, 1), h.data
--- state
h
''')
