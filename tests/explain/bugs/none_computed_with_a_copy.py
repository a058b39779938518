"""The loss is computed with a deep copy of the network, and the original has no gradient."""

import copy

import pullback as torch
from pullback import explain

torch.manual_seed(0)
model = torch.nn.Linear(3, 1)
replica = copy.deepcopy(model)  # <-- culprit
loss = replica(torch.randn(4, 3)).square().mean()
loss.backward()
answer = explain.why_none(model.weight)
