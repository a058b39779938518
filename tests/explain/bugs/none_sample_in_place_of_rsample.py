"""A sample is drawn with `sample`, which has no history, where `rsample` is meant."""

import pullback as torch
from pullback import explain

mean = torch.zeros(3, requires_grad=True)
scale = torch.ones(3, requires_grad=True)
z = torch.distributions.Normal(mean, torch.ones(3)).sample()  # <-- culprit
loss = (z * scale - 1).square().mean()
loss.backward()
answer = explain.why_none(mean)
