"""Features are detached on the way to the loss.

https://discuss.pytorch.org/t/clone-and-detach-in-v0-4-0/16861
"""

import pullback as torch
from pullback import explain

torch.manual_seed(0)
encoder = torch.nn.Linear(4, 3)
head = torch.nn.Linear(3, 1)
x = torch.randn(5, 4)
features = encoder(x)
frozen = features.detach()  # <-- culprit
loss = head(frozen).mean()
loss.backward()
answer = explain.why_none(encoder.weight)
