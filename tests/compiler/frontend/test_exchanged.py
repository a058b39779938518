"""Functions that leave another tuple, list or dict in the same place in each call."""

from collections import namedtuple

import numpy as np
import pytest

import pullback as torch

State = namedtuple("State", ["h", "c"])


def same_as_eager(source, calls=6, between="", **given):
    """Run a step that a source defines eagerly and compiled; return the compiled one."""
    found = []
    for compiled in (False, True):
        names = {"torch": torch, "State": State}
        exec(source, names)  # the programs are those below
        step, run = names["step"], names["step"]
        if compiled:
            step = run = torch.compile(step)
        results = []
        for n in range(calls):
            exec(between, names | {"n": n})
            results.append(names.get("call", lambda f: f())(run))
        found.append([np.array(r.detach()) for r in results])
    for a, b in zip(*found, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-6)
    return step


BEGIN = """
a, b = torch.arange(3.0), torch.ones(3)
d = {}
"""

ONCE = {
    "tuple": """
d["s"] = (a, b)
def step():
    h, c = d["s"]
    d["s"] = torch.tanh(h + c), c * 0.5
    return h.sum()
""",
    "named tuple": """
d["s"] = State(a, b)
def step():
    s = d["s"]
    d["s"] = s._replace(h=torch.tanh(s.h + s.c))
    return s.h.sum()
""",
    "list of an object's": """
class Net: pass
net = Net()
net.s = [a, b]
def step():
    net.s = [torch.tanh(x + 1) for x in net.s]
    return net.s[0].sum() + net.s[1].sum()
""",
    "dict of tuples": """
d["s"] = {"one": (a, b), "two": (b + 1, a + 1)}
def step():
    d["s"] = {k: (h + c, c * 0.5) for k, (h, c) in d["s"].items()}
    return d["s"]["two"][0].sum()
""",
    "list in a closure": """
def make():
    log = [a, b]
    def step():
        nonlocal log
        log = log[-1:] + [log[0] * 0.5 + log[1]]
        return torch.stack(log).sum()
    return step
step = make()
""",
    "LSTM of a module": """
torch.manual_seed(0)
class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.cell, self.s = torch.nn.LSTMCell(3, 3), (torch.zeros(1, 3), torch.zeros(1, 3))
    def forward(self, x):
        h, c = self.cell(x, self.s)
        self.s = h.detach(), c.detach()
        return h
net = Net()
optimizer = torch.optim.SGD(net.parameters(), 0.1)
def step():
    optimizer.zero_grad()
    loss = net(a[None]).pow(2).sum()
    loss.backward()
    optimizer.step()
    return loss
""",
}

OTHERWISE = {
    "two lists take turns": """
d["s"], d["t"] = [a], [b]
def step():
    d["s"], d["t"] = d["t"], d["s"]
    return d["s"][0].sum() + 2 * d["t"][0].sum()
""",
    "the list is a result of the call": """
d["s"] = [a, b]
kept = []
def step():
    old = d["s"]
    d["s"] = [old[0] + 1, old[1]]
    return old
def call(f):
    found = f()
    kept.append(found)
    assert len(kept) < 2 or kept[-1] is not kept[-2]
    return found[0] + len({id(each) for each in kept})
""",
    "the old list grows": """
d["s"] = [a, b]
d["first"] = d["s"]
def step():
    d["s"].append(d["s"][-1] + 1)
    d["s"] = d["s"][-2:]
    return d["s"][0] + len(d["first"])
""",
    "another place has it": """
d["s"] = [a, b]
d["t"] = d["s"]
def step():
    d["t"].append(b)
    x = d["s"][-1] + len(d["s"])
    d["s"] = d["t"] = [x, x * 0.5]
    return x
""",
    "it holds a list twice": """
one = [a]
d["s"] = one, one
def step():
    first, second = d["s"]
    one = [first[0] + (1 if first is second else 2)]
    d["s"] = one, one
    return one[0]
""",
    "two places have it": """
d["s"] = d["t"] = (a,)
def step():
    x = d["s"][0] + (1 if d["s"] is d["t"] else 2)
    d["s"] = d["t"] = (x,)
    return x
""",
    "two places have a part of it": """
one = [a]
d["s"], d["t"] = (one, 0), (one, 1)
def step():
    one = [d["s"][0][0] + (1 if d["s"][0] is d["t"][0] else 2)]
    d["s"], d["t"] = (one, 0), (one, 1)
    return one[0]
""",
    "an argument is it": """
d["s"] = [a, b]
def step(given):
    given[0] = given[0] + 1
    x = d["s"][0] + d["s"][1]
    d["s"] = [x, x * 0.5]
    return x
def call(f):
    return f(d["s"] if len(d) > 1 else [a])
""",
}


@pytest.mark.parametrize("name", ONCE)
def test_one_program(name):
    assert same_as_eager(BEGIN + ONCE[name])._native._traces <= 2


@pytest.mark.parametrize("name", OTHERWISE)
def test_what_tells_it_from_a_copy(name):
    same_as_eager(BEGIN + OTHERWISE[name], between="if n == 2: d['more'] = 1")


@pytest.mark.parametrize("between", [
    "if n == 3: d['s'] = d['s'] + [b]",
    "if n == 3: d['s'] = [d['s'][0], d['s'][0]]",
    "if n == 3: d['s'] = tuple(d['s'])",
    "if n == 3: d['s'] = [x.double() for x in d['s']]",
    "if n == 3: d['s'] = [d['s'], b]; d['s'] = d['s'][0]",
    "if n == 3: d['s'][0] = b * 3",
    "if n == 3: d['s'] = [a, 2.0]",
    "if n > 2: d['t'] = d['s']",
])  # fmt: skip
def test_changed_between_calls(between):
    source = """
d["s"], d["t"] = [a, b], []
def step():
    d["t"].append(1)
    total = sum(torch.as_tensor(x).sum() for x in d["s"]) + len(d["s"]) + isinstance(d["s"], tuple)
    d["s"] = [torch.tanh(d["s"][0]), torch.as_tensor(d["s"][1]) + 1]
    return total
"""
    same_as_eager(BEGIN + source, between=between)
