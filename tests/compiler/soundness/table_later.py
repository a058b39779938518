"""Programs whose backward, hooks and results are used after a call."""

from __future__ import annotations

from .programs import read

PROGRAMS = read(r'''
=== function_results
def step(x):
    def f(y): return y + x
    return f
=== function_backward_counter
d = {'n': 0}
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x): return x * 2
    @staticmethod
    def backward(ctx, g):
        d['n'] += 1
        return g * 2
w = torch.ones(3, requires_grad=True)
def step(x):
    return F.apply(w * x)
--- change 2 4
last.sum().backward()
--- state
dict(d), w.grad
=== function_backward_reads
G = 1.0
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x): return x * 2
    @staticmethod
    def backward(ctx, g): return g * G
w = torch.ones(3, requires_grad=True)
def step(x):
    return F.apply(w * x)
--- change 2 4
G += 1.0
last.sum().backward()
--- state
w.grad
=== function_backward_inside: compiles
G = 1.0
d = {'n': 0}
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.k = G
        return x * 2
    @staticmethod
    def backward(ctx, g):
        d['n'] += 1
        return g * ctx.k * G
w = torch.ones(3, requires_grad=True)
def step(x):
    w.grad = None
    F.apply(w * x).sum().backward()
    return w.grad * 1
--- change 3
G = 4.0
--- state
dict(d)
=== function_plain: compiles
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.exp()
    @staticmethod
    def backward(ctx, g):
        x, = ctx.saved_tensors
        return g * torch.exp(x)
w = torch.ones(3, requires_grad=True)
def step(x):
    return F.apply(w * x)
--- change 2 4
last.sum().backward()
--- state
w.grad
=== function_once_differentiable: compiles
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.exp()
    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx, g):
        x, = ctx.saved_tensors
        return g * torch.exp(x)
w = torch.ones(3, requires_grad=True)
def step(x):
    return F.apply(w * x)
--- change 2 4
last.sum().backward()
--- state
w.grad
=== function_once_differentiable_inside: compiles
G = 1.0
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x): return x * 2
    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx, g): return g * G
w = torch.ones(3, requires_grad=True)
def step(x):
    w.grad = None
    F.apply(w * x).sum().backward()
    return w.grad * 1
--- change 3
G = 4.0
=== checkpoint_counter
cp = torch.utils.checkpoint
d = {'n': 0}
def f(x):
    d['n'] += 1
    return (x * 2).exp()
w = torch.ones(3, requires_grad=True)
def step(x):
    return cp.checkpoint(f, w * x, use_reentrant=False)
--- change 2 4
last.sum().backward()
--- state
dict(d), w.grad
=== checkpoint_inside
cp = torch.utils.checkpoint
d = {'n': 0}
def f(x):
    d['n'] += 1
    return (x * 2).exp()
w = torch.ones(3, requires_grad=True)
def step(x):
    w.grad = None
    cp.checkpoint(f, w * x, use_reentrant=False).sum().backward()
    return w.grad * 1
--- state
dict(d)
=== hook_outside_backward
log = []
w = torch.ones(3, requires_grad=True)
def step(x):
    y = w * x
    y.register_hook(lambda g: log.append(1))
    return y.exp()
--- change 2 4
last.sum().backward()
--- state
len(log), w.grad
=== custom_saved_tensors_hooks
log = []
w = torch.ones(3, requires_grad=True)
def pack(t):
    log.append('p')
    return t
def unpack(t):
    log.append('u')
    return t
def step(x):
    with torch.autograd.graph.saved_tensors_hooks(pack, unpack):
        return (w * x).exp()
--- change 2 4
last.sum().backward()
--- state
list(log), w.grad
=== hook_kwargs: compiles
m = nn.Linear(3, 3)
with torch.no_grad():
    for p in m.parameters(): p.fill_(0.5)
G = 2.0
def pre(mod, args, kwargs): return (args[0] * G,), kwargs
h = m.register_forward_pre_hook(pre, with_kwargs=True)
def step(x):
    return m(x)
--- change 3
G = 4.0
--- change 5
h.remove()
=== hook_always_call
m = nn.Linear(3, 3)
with torch.no_grad():
    for p in m.parameters(): p.fill_(0.5)
log = []
h = m.register_forward_hook(lambda mod, a, o: log.append(1), always_call=True)
def step(x):
    return m(x)
--- state
len(log)
=== later_lbfgs
w = torch.ones(3, requires_grad=True)
o = torch.optim.LBFGS([w], lr=0.1, max_iter=2)
d = {'n': 0}
def step(x):
    def closure():
        d['n'] += 1
        o.zero_grad()
        l = ((w - x) ** 2).sum()
        l.backward()
        return l
    return o.step(closure)
--- state
w, dict(d)
=== lambda_lr
w = torch.ones(3, requires_grad=True)
o = torch.optim.SGD([w], lr=0.1)
G = 1.0
s = torch.optim.lr_scheduler.LambdaLR(o, lambda e: G / (e + 1))
def step(x):
    o.zero_grad()
    (w * x).sum().backward()
    o.step()
    s.step()
    return o.param_groups[0]['lr']
--- change 3
G = 5.0
--- state
w
=== autograd_grad_outside: compiles
w = torch.ones(3, requires_grad=True)
def step(x):
    return (w * w * x).sum()
--- change 3
torch.autograd.grad(last, w)
--- state
w.grad
=== backward_twice: raises
w = torch.ones(3, requires_grad=True)
def step(x):
    return (w * w * x).sum()
--- change 3
last.backward()
try:
    last.backward()
except RuntimeError as e:
    err = str(e)[:40]
--- state
w.grad, globals().get('err')
=== retain_graph_twice: compiles
w = torch.ones(3, requires_grad=True)
def step(x):
    return (w * w * x).sum()
--- change 3
last.backward(retain_graph=True)
last.backward()
--- state
w.grad
=== inplace_on_output: compiles
w = torch.ones(3, requires_grad=True)
def step(x):
    y = w * x
    return y, y.exp()
--- change 3
last[0].detach().add_(1)
=== inplace_saved_output_then_backward:
w = torch.ones(3, requires_grad=True)
def step(x):
    y = w * x
    return y.exp()
--- change 3
err = None
try:
    last.detach().add_(1)
    last.sum().backward()
except RuntimeError as e:
    err = 'modified' in str(e)
--- state
w.grad, globals().get('err')
=== hook_on_output: compiles
w = torch.ones(3, requires_grad=True)
log = []
def step(x):
    return (w * w * x)
--- change 3
last.register_hook(lambda g: log.append(g.sum().item()))
last.sum().backward()
--- state
w.grad, list(log)
=== views_of_output: compiles
w = torch.ones(3, requires_grad=True)
def step(x):
    y = w * x
    return y[:2], y
--- change 3
with torch.no_grad(): last[1].add_(1)
--- state
last
=== output_is_input: compiles
def step(x):
    return x
--- state
0
=== output_is_param: compiles
w = torch.ones(3, requires_grad=True)
def step(x):
    return w, w.detach(), w.data, w[:2]
=== output_base
def step(x):
    y = x[:2]
    return y, y._base is x
=== default_dtype_outside: compiles
def step(x):
    return torch.ones(2), torch.get_default_dtype(), x * 2
--- change 3
torch.set_default_dtype(torch.float64)
--- change 5
torch.set_default_dtype(torch.float32)
--- after
torch.set_default_dtype(torch.float32)
=== seed_outside
def step(x):
    return x + torch.rand(3), torch.randn(2), torch.randperm(4)
--- change
torch.manual_seed(n)
=== later_generator_outside
g = torch.Generator()
def step(x):
    return x + torch.rand(3, generator=g)
--- change 3
g.manual_seed(5)
--- change 5
g = torch.Generator().manual_seed(9)
=== function_read_twice
G = {'k': 1.0}
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x): return x * G['k']
    @staticmethod
    def backward(ctx, g): return g * G['k']
w = torch.ones(3, requires_grad=True)
def step(x):
    G['m'] = 2.0
    return F.apply(w * x)
--- change 2 4
G['k'] += 1.0
last.sum().backward()
--- state
w.grad
=== function_reads_written
G = {'k': 1.0}
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x): return x * 2
    @staticmethod
    def backward(ctx, g): return g * G['k']
w = torch.ones(3, requires_grad=True)
def step(x):
    G['k'] = 3.0
    return F.apply(w * x)
--- change 2 4
G['k'] = 7.0
last.sum().backward()
--- state
w.grad
=== function_reads_tensor
T = torch.ones(3)
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x): return x * 2
    @staticmethod
    def backward(ctx, g): return g * T
w = torch.ones(3, requires_grad=True)
def step(x):
    return F.apply(w * x)
--- change 2 4
T.add_(1)
last.sum().backward()
--- state
w.grad
=== function_replaced_forward: compiles
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x): return x * 2
    @staticmethod
    def backward(ctx, g): return g
w = torch.ones(3, requires_grad=True)
def step(x):
    w.grad = None
    F.apply(w * x).sum().backward()
    return F.apply(x), w.grad * 1
--- change 3
F.forward = staticmethod(lambda ctx, x: x * 7)
--- change 5
F.backward = staticmethod(lambda ctx, g: g * 7)
=== data_of_saved_assigned: compiles
w = torch.ones(3, requires_grad=True)
v = torch.ones(3, requires_grad=True)
m = nn.Linear(3, 3)
def step(x): return (w * w * x).sum() + (v * v.detach()).sum() + m(x * v).sum() + torch.dot(v.view(3), x)
--- change 2 4
for t in (w, v, m.weight): t.data = t.data * 3 + n
last.backward()
--- change 5
w.data = torch.arange(6.)[::2] + 1
last.backward()
--- state
w.grad, v.grad, m.weight.grad
''')
