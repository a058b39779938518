"""Programs of optimizers whose options, groups and state change between calls, and of what looks like one."""

from __future__ import annotations

from .programs import Program, read

#: A training step; ``OPTIMIZER`` and ``STEP`` stand for what differs.
_TRAINING = '''
m = nn.Linear(3, 1)
o = OPTIMIZER
def step(x):
    o.zero_grad()
    loss = (m(x) ** 2).sum() * 0.1
    loss.backward()
    o.step()
    return loss.detach()
'''
_STATE = "--- state\nm, o\n"


def _training(name: str, optimizer: str, change: str = "", flags: str = "compiles") -> str:
    return f"\n=== {name}: {flags}{_TRAINING.replace('OPTIMIZER', optimizer)}{change}{_STATE}"


_ROWS = {
    "sgd": ("torch.optim.SGD(m.parameters(), lr=0.1)", ""),
    "sgd_rate": ("torch.optim.SGD(m.parameters(), lr=0.1)", "o.param_groups[0]['lr'] = 0.05"),
    "sgd_rate_zero": ("torch.optim.SGD(m.parameters(), lr=0.1)", "o.param_groups[0]['lr'] = 0.0"),
    "sgd_rate_integer": ("torch.optim.SGD(m.parameters(), lr=0.1)", "o.param_groups[0]['lr'] = 1"),
    "sgd_momentum": ("torch.optim.SGD(m.parameters(), lr=0.1, momentum=0.9)",
                     "o.param_groups[0]['momentum'] = 0.5"),
    "sgd_momentum_begins": ("torch.optim.SGD(m.parameters(), lr=0.1)", "o.param_groups[0]['momentum'] = 0.5"),
    "sgd_momentum_ends": ("torch.optim.SGD(m.parameters(), lr=0.1, momentum=0.9)",
                          "o.param_groups[0]['momentum'] = 0"),
    "sgd_nesterov": ("torch.optim.SGD(m.parameters(), lr=0.1, momentum=0.9)",
                     "o.param_groups[0]['nesterov'] = True"),
    "sgd_dampening": ("torch.optim.SGD(m.parameters(), lr=0.1, momentum=0.9)",
                      "o.param_groups[0]['dampening'] = 0.5"),
    "sgd_decay": ("torch.optim.SGD(m.parameters(), lr=0.1, weight_decay=0.1)",
                  "o.param_groups[0]['weight_decay'] = 0.5"),
    "sgd_maximize": ("torch.optim.SGD(m.parameters(), lr=0.01)", "o.param_groups[0]['maximize'] = True"),
    "sgd_group_added": ("torch.optim.SGD([m.weight], lr=0.1)", "o.add_param_group({'params': [m.bias]})"),
    "sgd_group_of_rate_added": ("torch.optim.SGD([m.weight], lr=0.1)",
                                "o.add_param_group({'params': [m.bias], 'lr': 0.01})"),
    "sgd_group_removed": ("torch.optim.SGD([{'params': [m.weight]}, {'params': [m.bias]}], lr=0.1)",
                          "o.param_groups.pop()"),
    "sgd_parameter_replaced": ("torch.optim.SGD(m.parameters(), lr=0.1)",
                               "m.weight = nn.Parameter(torch.ones(1, 3))"),
    "sgd_parameter_in_group_replaced": (
        "torch.optim.SGD(m.parameters(), lr=0.1)",
        "m.weight = o.param_groups[0]['params'][0] = nn.Parameter(torch.ones(1, 3))"),
    "sgd_replaced": ("torch.optim.SGD(m.parameters(), lr=0.1)",
                     "o = torch.optim.SGD(m.parameters(), lr=0.01, momentum=0.9)"),
    "sgd_becomes_adam": ("torch.optim.SGD(m.parameters(), lr=0.1)",
                         "o = torch.optim.Adam(m.parameters(), lr=0.1)"),
    "sgd_state_cleared": ("torch.optim.SGD(m.parameters(), lr=0.1, momentum=0.9)", "o.state.clear()"),
    "sgd_buffer_written": ("torch.optim.SGD(m.parameters(), lr=0.1, momentum=0.9)",
                           "o.state[m.weight]['momentum_buffer'].zero_()"),
    "sgd_buffer_replaced": ("torch.optim.SGD(m.parameters(), lr=0.1, momentum=0.9)",
                            "o.state[m.weight]['momentum_buffer'] = torch.zeros(1, 3)"),
    "sgd_buffer_removed": ("torch.optim.SGD(m.parameters(), lr=0.1, momentum=0.9)",
                           "o.state[m.weight]['momentum_buffer'] = None"),
    "sgd_loaded": ("torch.optim.SGD(m.parameters(), lr=0.1, momentum=0.9)",
                   ("saved = copy.deepcopy(o.state_dict()); saved['param_groups'][0]['lr'] = 0.01\n"
                    "o.load_state_dict(saved)")),
    "sgd_frozen": ("torch.optim.SGD(m.parameters(), lr=0.1)", "m.weight.requires_grad_(False)"),
    "sgd_foreach": ("torch.optim.SGD(m.parameters(), lr=0.1, foreach=False)",
                    "o.param_groups[0]['foreach'] = True"),
    "sgd_copied": ("torch.optim.SGD(m.parameters(), lr=0.1, momentum=0.9)",
                   "m, o = copy.deepcopy((m, o))"),
    "adam": ("torch.optim.Adam(m.parameters(), lr=0.1)", ""),
    "adam_rate": ("torch.optim.Adam(m.parameters(), lr=0.1)", "o.param_groups[0]['lr'] = 0.05"),
    "adam_rate_tensor": ("torch.optim.Adam(m.parameters(), lr=torch.tensor(0.1))",
                         "o.param_groups[0]['lr'].fill_(0.05)"),
    "adam_betas": ("torch.optim.Adam(m.parameters(), lr=0.1)", "o.param_groups[0]['betas'] = (0.8, 0.99)"),
    "adam_second_beta": ("torch.optim.Adam(m.parameters(), lr=0.1)",
                         "o.param_groups[0]['betas'] = (0.9, 0.9)"),
    "adam_eps": ("torch.optim.Adam(m.parameters(), lr=0.1)", "o.param_groups[0]['eps'] = 0.1"),
    "adam_decay": ("torch.optim.Adam(m.parameters(), lr=0.1)", "o.param_groups[0]['weight_decay'] = 0.5"),
    "adam_step_written": ("torch.optim.Adam(m.parameters(), lr=0.1)",
                          "o.state[m.weight]['step'].fill_(50.0)"),
    "adam_step_replaced": ("torch.optim.Adam(m.parameters(), lr=0.1)",
                           "o.state[m.weight]['step'] = torch.tensor(50.0)"),
    "adam_state_cleared": ("torch.optim.Adam(m.parameters(), lr=0.1)", "o.state.clear()"),
    "adam_loaded": ("torch.optim.Adam(m.parameters(), lr=0.1)",
                    ("saved = copy.deepcopy(o.state_dict()); saved['state'][0]['step'].fill_(9.0)\n"
                     "o.load_state_dict(saved)")),
    "adam_loaded_parameters": ("torch.optim.Adam(m.parameters(), lr=0.1)",
                               "m.load_state_dict({'weight': torch.ones(1, 3), 'bias': torch.zeros(1)})"),
    "adam_amsgrad": ("torch.optim.Adam(m.parameters(), lr=0.1, amsgrad=True)",
                     "o.param_groups[0]['lr'] = 0.05"),
    "adamw": ("torch.optim.AdamW(m.parameters(), lr=0.1)", "o.param_groups[0]['weight_decay'] = 0.5"),
    "rmsprop": ("torch.optim.RMSprop(m.parameters(), lr=0.1)", "o.param_groups[0]['alpha'] = 0.5"),
    "adagrad": ("torch.optim.Adagrad(m.parameters(), lr=0.1)", "o.param_groups[0]['lr'] = 0.05"),
    "gradient_set_between": ("torch.optim.SGD(m.parameters(), lr=0.1)", "m.weight.grad = None"),
    "step_hook_added": ("torch.optim.SGD(m.parameters(), lr=0.1)",
                        "o.register_step_post_hook(lambda *a: print('stepped'))"),
    "step_pre_hook_added": ("torch.optim.SGD(m.parameters(), lr=0.1)",
                            "o.register_step_pre_hook(lambda *a: print('stepping'))"),
    "step_replaced": ("torch.optim.SGD(m.parameters(), lr=0.1)", "o.step = lambda: print('no step')"),
    "zero_grad_replaced": ("torch.optim.SGD(m.parameters(), lr=0.1)", "o.zero_grad = lambda: None"),
}  # fmt: skip
_UNKNOWN = {"step_hook_added", "step_pre_hook_added", "sgd_foreach", "adam_rate_tensor"}

_OTHERS = '''
=== schedule_outside: compiles
m = nn.Linear(3, 1)
o = torch.optim.SGD(m.parameters(), lr=0.1)
s = torch.optim.lr_scheduler.StepLR(o, 2, gamma=0.5)
def step(x):
    o.zero_grad()
    loss = m(x).sum()
    loss.backward()
    o.step()
    return loss.detach()
--- change
if n: s.step()
--- state
m, o, s.get_last_lr()
=== schedule_inside:
m = nn.Linear(3, 1)
o = torch.optim.SGD(m.parameters(), lr=0.1)
s = torch.optim.lr_scheduler.ExponentialLR(o, 0.5)
def step(x):
    o.zero_grad()
    m(x).sum().backward()
    o.step()
    s.step()
    return x * s.get_last_lr()[0]
--- state
m, o, s.last_epoch
=== schedule_by_lambda_inside: compiles
import functools, math
k = 1.0
def warm(n, e):
    return min(1.0, (e + 1) / n) * math.cos(e / 9)
m = nn.Linear(3, 1)
o = torch.optim.SGD(m.parameters(), lr=0.1)
a = torch.optim.lr_scheduler.LambdaLR(o, lambda e: k / (e + 1))
b = torch.optim.lr_scheduler.MultiplicativeLR(o, functools.partial(warm, 4))
s = torch.optim.lr_scheduler.SequentialLR(o, [a, b], [3])
def step(x):
    o.zero_grad()
    m(x).sum().backward()
    o.step()
    s.step()
--- change
k = 0.5 if n > 1 else 1.0
--- state
m, o, s.last_epoch
=== schedule_by_lambda_of_what_is_assigned:
k = 1.0
m = nn.Linear(3, 1)
o = torch.optim.SGD(m.parameters(), lr=0.1)
s = torch.optim.lr_scheduler.LambdaLR(o, lambda e: k / (e + 1))
def step(x):
    global k
    o.zero_grad()
    m(x).sum().backward()
    o.step()
    k = 3.0
    s.step()
    k = 1.0
--- state
m, o
=== schedule_by_lambda_that_acts:
seen = []
m = nn.Linear(3, 1)
o = torch.optim.SGD(m.parameters(), lr=0.1)
s = torch.optim.lr_scheduler.LambdaLR(o, lambda e: (seen.append(e), 0.5)[1])
def step(x):
    o.zero_grad()
    m(x).sum().backward()
    s.step()
    return len(seen)
--- state
m, o, seen
=== schedule_by_lambda_of_state: compiles
k = 1.0
m = nn.Linear(3, 1)
o = torch.optim.SGD(m.parameters(), lr=0.1)
s = torch.optim.lr_scheduler.LambdaLR(o, lambda e: k / (e + 1))
def step(x):
    o.zero_grad()
    m(x).sum().backward()
    o.step()
--- change
k = 0.5 if n > 3 else 1.0
if n: s.step()
--- state
m, o
=== schedule_on_plateau:
m = nn.Linear(3, 1)
o = torch.optim.SGD(m.parameters(), lr=0.1)
s = torch.optim.lr_scheduler.ReduceLROnPlateau(o, patience=1)
def step(x):
    o.zero_grad()
    loss = m(x).sum()
    loss.backward()
    o.step()
    s.step(1.0)
    return loss.detach()
--- state
m, o
=== one_cycle_outside: compiles
m = nn.Linear(3, 1)
o = torch.optim.SGD(m.parameters(), lr=0.1, momentum=0.9)
s = torch.optim.lr_scheduler.OneCycleLR(o, 0.5, total_steps=9)
def step(x):
    o.zero_grad()
    m(x).sum().backward()
    o.step()
--- change
if n: s.step()
--- state
m, o
=== two_optimizers: compiles
a, b = nn.Linear(3, 3), nn.Linear(3, 1)
p = torch.optim.SGD(a.parameters(), lr=0.1)
q = torch.optim.Adam(b.parameters(), lr=0.1)
def step(x):
    p.zero_grad(); q.zero_grad()
    loss = b(a(x)).sum()
    loss.backward()
    p.step(); q.step()
    return loss.detach()
--- change 3
p, q = q, p
--- state
a, b, p, q
=== optimizer_made_inside:
m = nn.Linear(3, 1)
def step(x):
    o = torch.optim.SGD(m.parameters(), lr=0.1)
    o.zero_grad()
    m(x).sum().backward()
    o.step()
--- state
m
=== rate_changed_inside:
m = nn.Linear(3, 1)
o = torch.optim.SGD(m.parameters(), lr=0.1)
def step(x):
    o.param_groups[0]["lr"] *= 0.5
    o.zero_grad()
    m(x).sum().backward()
    o.step()
--- state
m, o
=== rate_read_inside: compiles
m = nn.Linear(3, 1)
o = torch.optim.SGD(m.parameters(), lr=0.5)
def step(x):
    o.zero_grad()
    m(x).sum().backward()
    o.step()
    return x * o.param_groups[0]["lr"]
--- change 3
o.param_groups[0]["lr"] = 0.25
--- state
m
=== rate_branched_on: compiles
m = nn.Linear(3, 1)
o = torch.optim.SGD(m.parameters(), lr=0.5)
def step(x): return m(x) if o.param_groups[0]["lr"] > 0.3 else x
--- change 3
o.param_groups[0]["lr"] = 0.25
=== rate_returned: compiles
m = nn.Linear(3, 1)
o = torch.optim.SGD(m.parameters(), lr=0.5)
def step(x):
    o.zero_grad()
    m(x).sum().backward()
    o.step()
    return o.param_groups[0]["lr"]
--- change 3
o.param_groups[0]["lr"] = 0.25
--- change 5
o.param_groups[0]["lr"] = 1
=== state_read_after_step:
m = nn.Linear(3, 1)
o = torch.optim.Adam(m.parameters(), lr=0.1)
def step(x):
    o.zero_grad()
    m(x).sum().backward()
    o.step()
    return o.state[m.weight]["step"].item()
--- state
m, o
=== closure_step:
m = nn.Linear(3, 1)
o = torch.optim.SGD(m.parameters(), lr=0.1)
def step(x):
    def closure():
        o.zero_grad()
        loss = (m(x) ** 2).sum() * 0.1
        loss.backward()
        return loss
    return o.step(closure)
--- state
m, o
=== lbfgs:
m = nn.Linear(3, 1)
o = torch.optim.LBFGS(m.parameters(), max_iter=2)
def step(x):
    def closure():
        o.zero_grad()
        loss = (m(x) ** 2).sum() * 0.1
        loss.backward()
        return loss
    return o.step(closure).detach()
--- state
m
=== zero_grad_without_none: compiles
m = nn.Linear(3, 1)
o = torch.optim.SGD(m.parameters(), lr=0.1)
def step(x):
    o.zero_grad(set_to_none=False)
    m(x).sum().backward()
    o.step()
--- change 3
m.weight.grad = None
--- state
m, m.weight.grad
=== gradient_clipped: compiles
m = nn.Linear(3, 1)
o = torch.optim.SGD(m.parameters(), lr=0.1)
limit = 0.5
def step(x):
    o.zero_grad()
    m(x).sum().backward()
    norm = nn.utils.clip_grad_norm_(m.parameters(), limit)
    o.step()
    return norm
--- change 3
limit = 0.25
--- state
m
=== accumulation_every_second:
m = nn.Linear(3, 1)
o = torch.optim.SGD(m.parameters(), lr=0.1)
calls = 0
def step(x):
    global calls
    calls += 1
    m(x).sum().backward()
    if calls % 2 == 0:
        o.step()
        o.zero_grad()
--- state
m, calls, m.weight.grad
=== averaged_weights:
m = nn.Linear(3, 1)
e = torch.optim.swa_utils.AveragedModel(m)
o = torch.optim.SGD(m.parameters(), lr=0.1)
def step(x):
    o.zero_grad()
    m(x).sum().backward()
    o.step()
    e.update_parameters(m)
--- state
m, e
=== moving_average_by_hand: compiles
m, e = nn.Linear(3, 1), nn.Linear(3, 1)
o = torch.optim.SGD(m.parameters(), lr=0.1)
decay = 0.5
def step(x):
    o.zero_grad()
    m(x).sum().backward()
    o.step()
    with torch.no_grad():
        for p, q in zip(e.parameters(), m.parameters()):
            p.mul_(decay).add_(q, alpha=1 - decay)
--- change 3
decay = 0.75
--- state
m, e
=== user_optimizer: compiles
class Own(torch.optim.Optimizer):
    def __init__(self, params, lr): super().__init__(params, {"lr": lr})
    @torch.no_grad()
    def step(self):
        for g in self.param_groups:
            for p in g["params"]: p.sub_(p.grad * g["lr"])
m = nn.Linear(3, 1)
o = Own(m.parameters(), 0.5)
def step(x):
    o.zero_grad()
    m(x).sum().backward()
    o.step()
--- change 3
o.param_groups[0]["lr"] = 0.25
--- state
m, o
=== user_optimizer_counts:
class Own(torch.optim.SGD):
    calls = 0
    def step(self):
        self.calls += 1
        return super().step()
m = nn.Linear(3, 1)
o = Own(m.parameters(), 0.5)
def step(x):
    o.zero_grad()
    m(x).sum().backward()
    o.step()
    return x * o.calls
--- state
m, o.calls
=== dict_with_rate_and_params: compiles
d = {"lr": 0.5, "params": [1, 2]}
def step(x): return x * d["lr"] + len(d["params"])
--- change 3
d["lr"] = 0.25
=== dict_with_rate_returned: compiles
d = {"lr": 0.5, "params": []}
def step(x): return x * 2, d["lr"]
--- change 3
d["lr"] = 0.25
=== dict_with_rate_branched_on: compiles
d = {"lr": 0.5, "params": []}
def step(x): return x * 2 if d["lr"] > 0.3 else x * 3
--- change 3
d["lr"] = 0.25
=== dict_with_rate_formatted: compiles
d = {"lr": 0.5, "params": [], "momentum": 0.5}
def step(x): return x * 2, f"{d['lr']:.2f}", str(d["momentum"])
--- change 3
d["lr"] = 0.25; d["momentum"] = 0.75
=== dict_with_rate_as_key: compiles
d = {"lr": 0.5, "params": []}
table = {0.5: 2.0, 0.25: 3.0}
def step(x): return x * table[d["lr"]]
--- change 3
d["lr"] = 0.25
=== dict_with_rate_type: compiles
d = {"lr": 0.5, "params": []}
def step(x): return x * 2 if isinstance(d["lr"], float) and type(d["lr"]) is float else x
--- change 3
d["lr"] = 0.25
=== object_with_param_groups: compiles
class O: pass
o = O(); o.param_groups = [{"k": 2.0}]; o.state = {}
def step(x): return x * o.param_groups[0]["k"]
--- change 3
o.param_groups[0]["k"] = 3.0
=== object_with_param_groups_and_step: compiles
class O:
    def __init__(self): self.param_groups, self.state = [{"lr": 0.5, "params": [w]}], {}
    def step(self):
        for g in self.param_groups:
            for p in g["params"]: p.sub_(p * g["lr"])
w = torch.ones(3)
o = O()
def step(x):
    o.step()
    return x * w
--- change 3
o.param_groups[0]["lr"] = 0.25
--- state
w, o.state
=== object_with_param_groups_fills_state:
class O:
    def __init__(self): self.param_groups, self.state = [{"lr": 0.5, "params": [w]}], {}
    def step(self):
        self.state.setdefault("calls", []).append(len(self.state))
w = torch.ones(3)
o = O()
def step(x):
    o.step()
    return x * len(o.state["calls"])
--- state
o.state
=== optimizer_versions_of_momentum: compiles
p, q = nn.Parameter(torch.ones(3)), nn.Parameter(torch.ones(3))
opt = torch.optim.SGD([{"params": [p], "nesterov": True}, {"params": [q]}], lr=0.1, momentum=0.9)
def step(x):
    opt.zero_grad()
    (p * x if x[0] < 1 else p * x * q).sum().backward()
    opt.step()
--- state
[[s["momentum_buffer"]._version for s in opt.state.values()], p._version, q._version]
'''


def _table() -> list[Program]:
    text = ""
    for name, (optimizer, change) in _ROWS.items():
        then = f"--- change 3\n{change}\n" if change else ""
        text += _training(name, optimizer, then, "" if name in _UNKNOWN else "compiles")
    return read(text + _OTHERS)


PROGRAMS = _table()
