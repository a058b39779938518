"""A gradient penalty without create_graph.

https://github.com/caogang/wgan-gp/issues/4
"""

import pullback as torch
from pullback import explain

torch.manual_seed(0)
critic = torch.nn.Linear(3, 1)
points = torch.randn(4, 3, requires_grad=True)
scores = torch.tanh(critic(points)).sum()
(slopes,) = torch.autograd.grad(scores, points)  # <-- culprit
penalty = ((slopes.norm(dim=1) - 1.0) ** 2).mean()
try:
    penalty.backward()
except RuntimeError as error:
    answer = explain.why_error(error)
