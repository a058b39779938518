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
''')
