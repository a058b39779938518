"""Programs that keep state and train by hand: groups, hooks, results and numbers of tensors."""

from __future__ import annotations

from .programs import read

PROGRAMS = read(r'''
=== sort_exception
l = [3, 'a', 2]
def step(x):
    try:
        l.sort()
    except TypeError:
        return x * 3, len(l)
    return x * 2, 0
=== dict_iter_mutate_values: compiles
d = {'a': 1, 'b': 2}
def step(x):
    for k in d:
        d[k] += 1
    return x * d['a']
--- state
dict(d)
=== global_requires_grad_flip: compiles
t = torch.ones(3)
def step(x):
    return (t * x).sum()
--- change 3
t.requires_grad_()
--- change 5
t.requires_grad_(False)
=== global_resized
t = torch.ones(3)
def step(x):
    return (t * 2).sum() + x
--- change 3
t.resize_(5).fill_(2)
=== global_overlap
b = torch.zeros(6)
t, u = b[:4], b[2:]
def step(x):
    t.add_(x[0])
    return u * 1
--- change 3
u = torch.zeros(4)
--- state
b, t, u
=== leaf_hook_later
w = torch.ones(3, requires_grad=True)
log = []
def step(x):
    (w * x).sum().backward()
    return x * 2
--- change 3
h = w.register_hook(lambda g: log.append(1))
--- change 5
h.remove()
--- state
w.grad, len(log)
=== leaf_hook_outside: compiles
w = torch.ones(3, requires_grad=True)
log = []
def step(x):
    return (w * x).sum()
--- change 3
h = w.register_hook(lambda g: log.append(1))
--- change 4 5
last.backward()
--- state
w.grad, len(log)
=== input_nonleaf: compiles
w = torch.ones(3, requires_grad=True)
def step(x):
    return x * 2
--- call
w * (n + 1)
--- change 3
last.sum().backward()
--- state
w.grad
=== inplace_arg_nonleaf
w = torch.ones(3, requires_grad=True)
def step(x):
    x.mul_(2)
    return x * 3
--- call
w * (n + 1)
--- change 3
last.sum().backward()
--- state
w.grad
=== out_resized
o = torch.zeros(0)
def step(x):
    torch.add(x, 1, out=o)
    return o * 2
--- state
o
=== detect_anomaly
w = torch.ones(3, requires_grad=True)
def step(x):
    return (w * x).sum(), torch.is_anomaly_enabled()
--- change 3
torch.autograd.set_detect_anomaly(True)
--- after
torch.autograd.set_detect_anomaly(False)
=== absence_torch_function_mode
log = []
class M(torch.overrides.TorchFunctionMode):
    def __torch_function__(self, func, types, args=(), kwargs=None):
        log.append(1)
        return func(*args, **(kwargs or {}))
def step(x):
    return x + 1
--- change 3
m = M(); m.__enter__()
--- change 5
m.__exit__(None, None, None)
--- state
len(log) > 0
=== compiled_method: compiles
class C:
    k = 2
    def f(self, x):
        self.n = getattr(self, 'n', 0) + 1
        return x * self.k
c = C()
step = compiled(c.f)
--- change 3
c.k = 5
--- change 5
C.f = lambda self, x: x * 100
--- state
c.n
=== absence_compiled_module: compiles
class M(nn.Module):
    def __init__(self):
        super().__init__()
        self.k = 2.0
    def forward(self, x): return x * self.k
m = M()
step = compiled(m)
--- change 3
m.k = 5.0
--- change 4
m.register_forward_hook(lambda mod, a, o: o + 1)
--- change 5
m.forward = lambda x: x * 9
=== module_set_param_inside
m = nn.Linear(3, 3)
with torch.no_grad():
    for p in m.parameters(): p.fill_(0.5)
def step(x):
    m.weight = nn.Parameter(m.weight * 2)
    return m(x)
--- state
m
=== module_buffer_assign_inside: compiles
class M(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer('n', torch.zeros(()))
    def forward(self, x):
        self.n = self.n + 1
        return x * self.n
m = M()
def step(x): return m(x)
--- change 3
m.n.zero_()
--- state
m.n
=== optimizer_groups: compiles
m = nn.Linear(3, 1)
with torch.no_grad():
    for p in m.parameters(): p.fill_(0.5)
groups = [{'params': [m.weight], 'lr': 0.1}, {'params': [m.bias], 'lr': 0.2}]
o = torch.optim.SGD(groups, lr=0.1, momentum=0.9)
def step(x):
    o.zero_grad()
    m(x).sum().backward()
    o.step()
    return x * 2
--- change 3
o.param_groups[0]['lr'] = 0.01
--- change 4
o.param_groups[1]['momentum'] = 0.5
--- change 5
o.state.clear()
--- state
m
=== optimizer_add_group: compiles
m = nn.Linear(3, 1)
w = torch.ones(3, requires_grad=True)
with torch.no_grad():
    for p in m.parameters(): p.fill_(0.5)
o = torch.optim.Adam(m.parameters(), lr=0.1)
def step(x):
    o.zero_grad()
    (m(x) + w.sum()).sum().backward()
    o.step()
    return x * 2
--- change 3
o.add_param_group({'params': [w], 'lr': 0.3})
--- state
m, w
=== optimizer_lr_tensor
w = torch.ones(3, requires_grad=True)
o = torch.optim.SGD([w], lr=torch.tensor(0.1))
def step(x):
    o.zero_grad()
    (w * x).sum().backward()
    o.step()
    return x * 2
--- change 3
o.param_groups[0]['lr'].fill_(0.5)
--- state
w
=== optimizer_subclass: compiles
class S(torch.optim.SGD):
    n = 0
    def step(self, closure=None):
        S.n += 1
        return super().step(closure)
w = torch.ones(3, requires_grad=True)
o = S([w], lr=0.1)
def step(x):
    o.zero_grad()
    (w * x).sum().backward()
    o.step()
    return x * 2
--- state
w, S.n
=== optimizer_step_hook
w = torch.ones(3, requires_grad=True)
o = torch.optim.SGD([w], lr=0.1)
log = []
o.register_step_post_hook(lambda *a: log.append(1))
def step(x):
    o.zero_grad()
    (w * x).sum().backward()
    o.step()
    return x * 2
--- state
w, len(log)
=== absence_best_so_far
best = {'v': float('inf')}
def step(x):
    v = x.sum().item()
    if v < best['v']: best['v'] = v
    return x * 2
--- call
torch.ones(3) * (5 - n if n < 4 else n)
--- state
dict(best)
=== nan_min
best = {'v': float('inf')}
def step(x):
    best['v'] = max(best['v'] if best['v'] != float('inf') else 0.0, x.sum().item())
    return x * 2
--- call
torch.ones(3) * (float('nan') if n == 2 else n)
--- state
dict(best)
=== running_mean_python: compiles
s = {'n': 0, 'm': 0.0}
def step(x):
    s['n'] += 1
    s['m'] += (x.mean().item() - s['m']) / s['n']
    return x * 2
--- state
dict(s)
=== skip_nan
w = torch.ones(3, requires_grad=True)
o = torch.optim.SGD([w], lr=0.1)
k = {'skipped': 0}
def step(x):
    o.zero_grad()
    l = (w * x).sum()
    if not math.isfinite(l.item()):
        k['skipped'] += 1
        return None
    l.backward()
    o.step()
    return l
--- call
torch.ones(3) * (float('inf') if n in (2, 4) else n + 1)
--- state
w, dict(k)
=== toggle
k = {'on': True}
def step(x):
    k['on'] = not k['on']
    return x * (2 if k['on'] else 3)
--- state
dict(k)
=== results_of_fractions: compiles
f = fractions.Fraction(1, 3)
d = datetime.date(2020, 1, 2)
def step(x):
    return x * float(f), f + 1, d, d.replace(year=2021), f, range(3)
--- change 3
f = fractions.Fraction(1, 2)
=== rate_after_a_step_returned: compiles
m = nn.Linear(3, 1); opt = torch.optim.SGD(m.parameters(), lr=0.1)
sch = torch.optim.lr_scheduler.StepLR(opt, 2, gamma=0.5)
def step(x):
    opt.zero_grad(); l = m(x).sum(); l.backward(); opt.step(); sch.step()
    return l.item(), sch.get_last_lr()[0], opt.param_groups[0]['lr']
--- state
sch.state_dict(), m
=== rate_after_a_step_decides: compiles
m = nn.Linear(3, 1); opt = torch.optim.SGD(m.parameters(), lr=0.1)
sch = torch.optim.lr_scheduler.StepLR(opt, 2, gamma=0.5)
hits = []
def step(x):
    opt.zero_grad(); l = m(x).sum(); l.backward(); opt.step(); sch.step()
    if opt.param_groups[0]['lr'] < 0.04: hits.append(sch.last_epoch)
    return x * opt.param_groups[0]['lr']
--- change 4
sch.gamma = 2.0
--- change 5
opt.param_groups[0]['lr'] = 0.3
--- state
sch.state_dict(), m, hits
=== gradients_cleared_after_the_scheduler: compiles
m = nn.Linear(3, 1); opt = torch.optim.AdamW(m.parameters(), lr=0.1)
sch = torch.optim.lr_scheduler.LambdaLR(opt, lambda e: 1 / (1 + e))
log = []
def step(x):
    l = m(x).square().sum(); l.backward(); opt.step(); sch.step(); opt.zero_grad()
    log.append({'lr': sch.get_last_lr()[0], 'loss': l.item(), 'n': sch.last_epoch})
    print(f"lr {sch.get_last_lr()[0]:.4f} loss {l.item():.3f}")
    return l.detach()
--- state
sch.state_dict(), m, log, [p.grad for p in m.parameters()]
=== rate_between_two_schedulers: compiles
m = nn.Linear(3, 1); opt = torch.optim.SGD(m.parameters(), lr=0.1)
a = torch.optim.lr_scheduler.ExponentialLR(opt, 0.5)
b = torch.optim.lr_scheduler.LinearLR(opt, total_iters=4)
def step(x):
    opt.zero_grad(); m(x).sum().backward(); opt.step()
    a.step(); r = opt.param_groups[0]['lr']
    b.step(); s = opt.param_groups[0]['lr']
    return r, s, r / s
--- state
a.state_dict(), b.state_dict(), m
=== rates_of_a_sequence: compiles
m = nn.Linear(3, 1); opt = torch.optim.SGD([{'params': [m.weight]}, {'params': [m.bias], 'lr': 0.5}], lr=0.1)
S = torch.optim.lr_scheduler
sch = S.SequentialLR(opt, [S.ConstantLR(opt, 0.1), S.ExponentialLR(opt, 0.9)], [2])
def step(x):
    opt.zero_grad(); m(x).sum().backward(); opt.step(); sch.step()
    u, v = sch.get_last_lr()
    return u, v
--- state
sch.last_epoch, m, opt.param_groups[1]['lr']
=== list_of_rates_returned
m = nn.Linear(3, 1); opt = torch.optim.SGD(m.parameters(), lr=0.1)
sch = torch.optim.lr_scheduler.StepLR(opt, 2, gamma=0.5)
def step(x):
    opt.zero_grad(); m(x).sum().backward(); opt.step(); sch.step()
    return sch.get_last_lr()
--- change 3
last[0] = 7.0
--- state
sch.get_last_lr(), sch._last_lr
=== rate_assigned_before_the_scheduler
m = nn.Linear(3, 1); opt = torch.optim.SGD(m.parameters(), lr=0.1)
sch = torch.optim.lr_scheduler.ExponentialLR(opt, 0.5)
def step(x):
    opt.param_groups[0]['lr'] = 0.1 * x.shape[0]
    opt.zero_grad(); m(x).sum().backward(); opt.step(); sch.step()
    return opt.param_groups[0]['lr']
--- state
m
=== schedule_that_ends: raises
m = nn.Linear(3, 1); opt = torch.optim.SGD(m.parameters(), lr=0.1)
sch = torch.optim.lr_scheduler.OneCycleLR(opt, 1.0, total_steps=4)
def step(x):
    opt.zero_grad(); m(x).sum().backward(); opt.step(); sch.step()
    return opt.param_groups[0]['lr'], opt.param_groups[0]['momentum']
--- state
m, sch.last_epoch, sch._step_count
=== schedule_that_raises_half_done
m = nn.Linear(3, 1); opt = torch.optim.SGD([m.weight], lr=0.1); count = torch.zeros(1)
sch = torch.optim.lr_scheduler.LambdaLR(opt, lambda e: 0.9 ** e)
def step(x):
    opt.zero_grad(); m(x).sum().backward(); opt.step(); count.add_(1)
    try: sch.step()
    except ValueError as e: return str(e)
    return count.clone()
--- change 3
opt.param_groups.append(dict(opt.param_groups[0], params=[m.bias]))
--- change 6
del opt.param_groups[1]
--- state
m, count, sch.last_epoch
=== state_emptied_before_a_step_without_gradients: raises
p = nn.Parameter(torch.ones(3)); opt = torch.optim.RMSprop([p], lr=0.01)
def step(x):
    opt.step()
    raise ValueError
--- change 4
opt.state[p] = {}
--- state
opt.state_dict()
=== gradient_assigned_in_inference_mode: compiles
p = nn.Parameter(torch.ones(3))
@torch.inference_mode()
def step(x):
    p.grad = torch.zeros_like(p)
--- state
p.grad.is_inference()
=== rate_that_a_tensor_meets: compiles
m = nn.Linear(3, 1); opt = torch.optim.SGD(m.parameters(), lr=0.1)
sch = torch.optim.lr_scheduler.CosineAnnealingLR(opt, 5)
def step(x):
    opt.zero_grad(); m(x).sum().backward(); opt.step(); sch.step()
    return m.weight.detach() * sch.get_last_lr()[0]
--- state
m
=== rate_of_a_tensor
m = nn.Linear(3, 1); opt = torch.optim.Adam(m.parameters(), lr=torch.tensor(0.1))
sch = torch.optim.lr_scheduler.ExponentialLR(opt, 0.5)
def step(x):
    opt.zero_grad(); m(x).sum().backward(); opt.step(); sch.step()
    return opt.param_groups[0]['lr'] * 1
--- state
m
=== scheduler_stepped_first
m = nn.Linear(3, 1); opt = torch.optim.SGD(m.parameters(), lr=0.1)
sch = torch.optim.lr_scheduler.ExponentialLR(opt, 0.5)
def step(x):
    sch.step()
    lr = sch.get_last_lr()[0]
    opt.zero_grad(); m(x).sum().backward(); opt.step()
    return lr
--- state
m, sch.state_dict()
=== scheduler_and_a_variable_of_its_function: compiles
m = nn.Linear(3, 1); opt = torch.optim.SGD(m.parameters(), lr=0.1)
K = 0.5
sch = torch.optim.lr_scheduler.LambdaLR(opt, lambda e: K ** e)
def step(x):
    opt.zero_grad(); m(x).sum().backward(); opt.step(); sch.step()
    return sch.get_last_lr()[0]
--- change 3
K = 0.9
--- state
m, sch.last_epoch
=== rate_made_a_tensor_under_a_schedule
m = nn.Linear(3, 1)
o = torch.optim.SGD(m.parameters(), lr=0.1)
s = torch.optim.lr_scheduler.LambdaLR(o, lambda e: 1 / (e + 1))
def step(x):
    o.zero_grad()
    m(x).sum().backward()
    o.step()
    s.step()
    return x * o.param_groups[0]["lr"]
--- change 3
o.param_groups[0]["lr"] = torch.tensor(0.05)
--- state
m, o, s.last_epoch
=== parameter_made_anew_by_each_step
w = nn.Parameter(torch.ones(3))
def step(x):
    global w
    (w * x).sum().backward()
    w = nn.Parameter(w.detach() - 0.1 * w.grad)
    return nn.Parameter(torch.zeros(2)), nn.Parameter(x * 2, requires_grad=False), nn.Buffer(x + 1)
--- state
w
''')
