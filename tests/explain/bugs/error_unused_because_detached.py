"""In the inner step of meta-learning the adapted weights are detached.

https://github.com/learnables/learn2learn/issues/314
"""

import pullback as torch
from pullback import explain

w = torch.tensor([1.0, 2.0], requires_grad=True)
other = torch.tensor(1.0, requires_grad=True)
inner = (w**2).sum()
(g,) = torch.autograd.grad(inner, w, create_graph=True)
adapted = (w - 0.1 * g).detach()  # <-- culprit
outer = (adapted * other).sum()
try:
    torch.autograd.grad(outer, w)
except RuntimeError as error:
    answer = explain.why_error(error)
