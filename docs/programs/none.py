"""Four ways to a gradient that is None, and what pullback says of each."""

import torch

from pullback import explain

x = torch.tensor([1.0, 2.0], requires_grad=True)
w = torch.tensor([3.0, 4.0], requires_grad=True)


def cut_off():
    loss = (x.detach() * w).sum()
    loss.backward()
    print(explain.why_none(x), end="\n\n")


def not_recorded():
    with torch.no_grad():
        hidden = x * 3
    loss = (hidden * w).sum()
    loss.backward()
    print(explain.why_none(x), end="\n\n")


def not_a_leaf():
    hidden = 2 * w
    loss = (hidden * hidden).sum()
    loss.backward()
    print(explain.why_none(hidden), end="\n\n")


def not_continuous():
    count = torch.tensor([1, 2])
    loss = (count * w).sum()
    loss.backward()
    print(explain.why_none(count))


cut_off()
not_recorded()
not_a_leaf()
not_continuous()
