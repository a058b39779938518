"""Programs that ask tensors for more than their numbers, and optimizers that begin anew in each call."""

from __future__ import annotations

from .programs import read

PROGRAMS = read('''
=== momentum_of_an_optimizer_made_inside: compiles
def step(x):
    p = torch.zeros(3, requires_grad=True)
    o = torch.optim.SGD([p], 0.1, momentum=0.9)
    for _ in range(3):
        o.zero_grad()
        ((p - x) ** 2).sum().backward()
        o.step()
    return p.detach()
=== optimizer_state_emptied_inside: compiles
w = nn.Parameter(torch.ones(3))
o = torch.optim.Adam([w], 0.1)
def step(x):
    o.state.clear()
    o.zero_grad()
    (w * x).sum().backward()
    o.step()
    return w.sum()
--- state
w, o
=== mask_kept_for_its_shape: compiles
class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer('mask', torch.ones(1))
    def forward(self, x):
        if self.mask.shape[0] < x.shape[0]: self.mask = torch.ones(x.shape[0])
        return x * 2
m = step = Layer()
--- call
torch.ones([2, 3, 2, 4, 1, 5, 3][n])
--- state
m.mask
=== only_asked_of_a_place: compiles
d = {'t': torch.ones(1)}
def step(x):
    t = d['t']
    found = None if t is None else (t.dtype, t.dim(), t.requires_grad, isinstance(t, nn.Parameter))
    d['t'] = torch.ones(2)
    return x * 2, found
--- change 2
d['t'] = torch.ones(2, 3, dtype=torch.int32)
--- change 3
d['t'] = torch.ones(2, requires_grad=True)
--- change 4
d['t'] = nn.Parameter(torch.ones(2))
--- change 5
d['t'] = None
=== only_asked_of_parameters: compiles
m = nn.Linear(2, 3)
def step(x):
    return x * sum(p.numel() for p in m.parameters() if p.requires_grad), m.bias.dtype, len(m.weight)
--- change 2
m.bias.requires_grad_(False)
--- change 4
m.double()
--- change 5
m.weight.data = torch.ones(1, 1)
=== only_asked_of_an_argument: compiles
def step(x, y):
    return x * y.shape[0], y.requires_grad, y.dtype, y.is_leaf
--- call
torch.ones(2), torch.ones(2 + n % 2, dtype=(torch.float32, torch.float64)[n // 2 % 2]).requires_grad_(n > 4)
=== expressions_of_a_number_decide_and_a_text_changes: compiles
def step(x, reduction, width):
    smooth = F.smooth_l1_loss(x, x * 0, reduction=reduction, beta=width)
    return F.huber_loss(x, x * 0, reduction=reduction, delta=width + 0.1), smooth
--- call
torch.arange(6.0), ('mean', 'sum', 'none')[n % 3], (0.0, 0.1, 0.2, 0.5, 0.1, 0.3, 0.0)[n]
=== parameters_written_to_by_hand: compiles
m = nn.Linear(2, 2)
def step(x):
    m.zero_grad(set_to_none=n < 3)
    m(x).pow(2).sum().backward()
    with torch.no_grad():
        m.weight -= 0.1 * m.weight.grad
    return m.weight.grad_fn
--- call
torch.ones(1, 2) * n
--- state
m, m.weight.grad
=== loss_scaled_by_a_scaler_that_steps_outside: compiles
w = nn.Parameter(torch.ones(2))
o = torch.optim.SGD([w], 0.1)
s = torch.amp.GradScaler('cpu', init_scale=4.0, growth_interval=1)
def step(x):
    o.zero_grad()
    s.scale((w * x).sum()).backward()
    return s.get_scale()
--- call
torch.ones(2) * (math.inf if n == 3 else n)
--- change
if n: s.step(o); s.update()
--- state
w, w.grad
=== loss_scaled_and_stepped: compiles
m = nn.Linear(3, 2)
o = torch.optim.SGD(m.parameters(), 0.1, momentum=0.9)
s = torch.amp.GradScaler('cpu', init_scale=4.0, growth_interval=2)
def step(x):
    with torch.autocast('cpu', dtype=torch.bfloat16):
        y = m(x)
    s.scale(y.sum()).backward()
    s.unscale_(o)
    norm = nn.utils.clip_grad_norm_(m.parameters(), 1.0)
    s.step(o)
    s.update()
    o.zero_grad()
    return norm, s.get_scale()
--- call
torch.ones(2, 3) * (math.inf if n == 3 else n)
--- change 5
s = torch.amp.GradScaler('cpu', enabled=False)
--- state
m, o, s.state_dict()
=== layout_of_a_gradient: compiles
w, v = torch.ones(3, 2).t().requires_grad_(), torch.ones(2, 3, requires_grad=True)
def step(x):
    w.grad = v.grad = None
    ((w + v) * x[:2] + F.linear(x, w).sum() + (v.t() * x[:, :2]).sum() + w.sum()).sum().backward()
    found = [(p.grad.stride(), p.grad.is_contiguous(), p.grad.t().reshape(-1), p.grad * 1) for p in (w, v)]
    return found
--- call
torch.arange(9.0).view(3, 3) + n
--- state
w.grad, v.grad
=== view_of_a_gradient: compiles
w = torch.ones(3, 2).t().requires_grad_()
v = torch.ones(2, 3, requires_grad=True)
def step(x):
    w.grad = v.grad = None
    ((v + w) * x).sum().backward()
    rows = w.grad.t()
    return rows, v.grad.view(-1), w.grad, rows, v.grad[0], v.grad[1, 2].item() + 1
--- call
torch.ones(2, 3) + n
--- state
w.grad, v.grad
=== number_of_a_gradient_decides: compiles
w = torch.ones(2, requires_grad=True)
def step(x):
    w.grad = None
    (w * x).sum().backward()
    return w.grad[1] if w.grad[0].item() > 3 else x * 5
--- call
torch.ones(2) * (1, 2, 5, 1, 6, 7, 2)[n]
=== layout_of_a_gradient_that_others_see: compiles
w, v, u = torch.ones(3, 2).t().requires_grad_(), torch.ones(2, 3, requires_grad=True), torch.ones(3, 2).t()
u.requires_grad_()
def step(x):
    w.grad = v.grad = u.grad = None
    u.backward(x)
    ((w + v) * x).sum().backward()
    return [(g.stride(), (g * 1).stride()) for g in (x, u.grad, w.grad, v.grad)]
--- call
torch.ones(2, 3)
=== layout_of_a_gradient_added_to: compiles
w = torch.ones(2, 3, requires_grad=True)
w.grad = torch.zeros(2, 6)[:, ::2]
def step(x):
    before = w.grad.stride()
    (w * x).sum().backward()
    return before, w.grad.stride(), w.grad.is_contiguous(), (w.grad * 1).stride()
--- call
torch.ones(2, 3)
--- change 4
w.grad = torch.zeros(3, 2).t()
=== layout_of_what_was_written_to_with_gaps: compiles
s, t = torch.zeros(2, 6)[:, ::2], torch.zeros(6, 2).t()[:, ::2]
def step(x):
    s.add_(x)
    t.add_(x).mul_(2)
    return s.stride(), t.stride(), s.is_contiguous(), (t * 1).stride(), s.view(2, 3)
--- call
torch.ones(2, 3)
--- state
s, t
=== id_of_an_object_of_the_users: compiles
class O: k = 2.0
o, p = O(), O()
known = {id(o): 1.0, id(p): 2.0}
def step(x): return x * known[id(o)], id(o) == id(p)
--- change 3
o = p
=== id_of_an_object_that_is_given
class O: k = 2.0
o = O()
def step(x, given): return x * o.k, id(o) == id(given)
--- call
torch.ones(2) * n, o if n % 3 == 1 else O()
=== id_of_an_object_that_is_made
class O: pass
seen = set()
held = []
def step(x):
    held.append(O())
    seen.add(id(held[-1]))
    return x * len(seen)
--- state
len(seen)
=== id_of_equal_values
k = 2.5
held = [k]
def step(x): return x * k, id(k) == id(held[0])
--- change 3
k = float("2.5")
=== files_that_are_there: compiles
import pathlib, tempfile
folder = pathlib.Path(tempfile.mkdtemp())
file = folder / "a"
def step(x): return x * (2 if os.path.exists(file) else 3), os.path.isfile(file), os.path.isdir(folder)
--- change 3
(folder / "a").touch()
--- change 5
(folder / "a").unlink(); folder.rmdir()
=== strides_where_any_will_do: compiles
def step(x):
    frames = x.as_strided((*x.shape[:-1], 3, 4), (*x.stride()[:-1], 2, 1))
    assert x.stride(-1) == 1
    return frames.sum(-1), x.as_strided([1, 2], [x.stride(0), 2])
--- call
torch.arange(16.0).view(2, 8)[n % 2 : n % 2 + 1]
=== strides_of_one_element_that_decide
def step(x): return x * x.stride(0), x.as_strided((2, 2), (x.stride(0) % 3, 1))
--- call
torch.arange(16.0).view(2, 8)[:, ::2][:1] if n % 2 else torch.arange(4.0).view(1, 4).expand(1, 4)
=== strides_of_one_element_returned
def step(x): return x * 2, x.stride(), f"{x.stride(0)}"
--- call
torch.arange(16.0).view(2, 8)[:1] if n % 2 else torch.arange(8.0).view(1, 8)
=== methods_made_by_hand: compiles
class O:
    k = 2.0
    def f(self, x): return x * self.k
o = O()
left = []
def step(x):
    with contextlib.ExitStack() as stack:
        stack.enter_context(torch.no_grad())
        stack.callback(left.append, 1)
        return types.MethodType(O.f, o)(x)
--- change 3
o.k = 3.0
--- state
left
=== lock_of_what_is_done_once: compiles
lock = threading.Lock()
done = []
def step(x):
    if not done:
        with lock:
            if not done:
                done.append(2.0)
    return x * done[0]
--- change 3
done[0] = 3.0
--- state
done, lock.locked()
=== numbers_of_tensors_as_arguments: compiles
def step(x, n):
    mask = torch.arange(n.max()) < n[:, None]
    hot = F.one_hot(n, max(n.max() + 1, 3)), F.one_hot(n)
    return x * mask.sum(), torch.zeros(n[0], 2), x.narrow(0, n[0] - 1, 1), x.topk(n[0])[0], hot
--- call
torch.arange(4.0) + n, torch.tensor([1 + n % 2, 3])
=== number_of_a_tensor_that_is_written_to_later: compiles
w = torch.tensor([2, 3])
def step(x):
    rows = torch.ones(w[0], 2)
    w.add_(1).remainder_(3).add_(1)
    return rows.sum() * x, w[:1].clone()
--- state
w
=== number_of_a_tensor_under_vmap: raises
def step(x): return torch.vmap(lambda n: torch.zeros(n))(x.long())
=== modules_that_are_not_there: compiles
import importlib.util
def step(x):
    there = importlib.util.find_spec("pullback_is_never_there") is not None
    return x * (2 if there else 3), importlib.util.find_spec("json").name
=== modules_that_are_there
import importlib.util, tempfile, pathlib
folder = tempfile.mkdtemp()
def step(x):
    there = importlib.util.find_spec("pullback_is_there_later") is not None
    return x * (2 if there else 3), importlib.util.find_spec("json").name
--- change 3
sys.path.insert(0, folder)
(pathlib.Path(folder) / "pullback_is_there_later.py").touch()
importlib.invalidate_caches()
--- after
sys.path.remove(folder)
=== attribute_of_a_parameter_deleted: compiles
w = nn.Parameter(torch.ones(3))
w.kept = None
def step(x):
    w.now = x * 2
    w.kept = w.now if w.kept is None else w.kept + w.now
    del w.now
    return x * w, hasattr(w, "now")
--- change 3
w.kept = None
--- change 5
w.now = 1
--- state
w.kept, hasattr(w, "now")
=== attribute_of_a_parameter_deleted_twice: raises
w = nn.Parameter(torch.ones(3))
w.k = 1
def step(x):
    del w.k
    return x * w
--- state
hasattr(w, "k")
=== attribute_of_a_new_tensor_deleted
def step(x):
    y = x * 2
    y.k = 3
    z = y * y.k
    del y.k
    return y, z
=== attribute_of_a_given_tensor_deleted
def marked(t, is_marked):
    if is_marked: t.k = 1
    return t
def step(x):
    if hasattr(x, "k"): del x.k
    return x * 2, hasattr(x, "k")
--- call
marked(torch.ones(2), n % 2)
=== attribute_of_a_class_deleted_by_tensor: raises
def step(x):
    y = x * 1
    del y.shape
    return y
''')
