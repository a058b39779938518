"""Programs drawn from whole training scripts, as users write them, with changes between the steps."""

from __future__ import annotations

from .programs import read

PROGRAMS = read(r'''
=== state_made_where_the_rate_is_assigned: compiles
a, b = nn.Parameter(torch.ones(3)), nn.Parameter(torch.ones(3))
opt = torch.optim.Rprop([a, b], lr=0.05)
it = 0
def step(x):
    global it
    opt.zero_grad()
    ((a * x).sum() - (b * x * x).sum()).backward()
    opt.param_groups[0]['lr'] = 0.01 * (1 + it % 3)
    opt.step()
    it += 1
--- state
a, b, opt.state_dict()
=== state_emptied_by_the_step: compiles
a, b = nn.Parameter(torch.ones(3)), nn.Parameter(torch.ones(3))
opt = torch.optim.SGD([a, b], lr=0.1, momentum=0.9)
def step(x):
    opt.state.clear()
    for _ in range(3):
        opt.zero_grad()
        ((a * x).sum() - (0.1 * b * b * x).sum()).backward()
        opt.step()
--- state
a, b, opt.state_dict()
=== counter_in_what_is_checkpointed: compiles
w = nn.Parameter(torch.ones(3))
calls = 0
def part(x):
    global calls
    calls += 1
    return torch.tanh(w * x) / (1 + calls % 3) * calls
def step(x):
    w.grad = None
    torch.utils.checkpoint.checkpoint(part, x, use_reentrant=False).sum().backward()
--- state
w.grad, calls
=== number_under_hooks_of_what_is_saved: compiles
w = torch.ones(3, requires_grad=True)
seen = []
def pack(t):
    seen.append(tuple(t.shape))
    return t
def step(x, k):
    with torch.autograd.graph.saved_tensors_hooks(pack, lambda t: t * 2):
        y = (w * x / k).exp() * k
    return torch.autograd.grad(y.sum(), w)[0]
--- call
torch.ones(3), 1.0 + n
--- state
seen
=== copies_of_tensors_on_one_memory: compiles
w = nn.Parameter(torch.ones(3))
v = torch.arange(3.0)
kept = {}
def step(x):
    kept['best'] = copy.deepcopy({'a': w.detach(), 'b': w.detach(), 'c': [v.detach(), v]})
    return x * 2
--- state
kept, kept['best']['a']._version
=== copies_of_parts
w = torch.arange(6.0)
def step(x):
    y = x * 2
    return copy.deepcopy([w[1:3].detach(), w.detach()]), copy.deepcopy(y[1:].detach())
--- state
[t.untyped_storage().size() for t in (last[0][0], last[1])] if last is not None else None
=== nan_among_what_it_is_in
K = 1.0
def step(x, k): return x + 1, k in (k,), k in [k], k not in (k, 1), K in (1, K)
--- call
torch.ones(2), [1.0, float('nan'), 2.0, float('nan'), 3.0, 0, 4.0][n]
--- change 2 5
K = float('nan')
''')
