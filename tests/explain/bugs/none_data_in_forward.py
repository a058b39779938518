"""The forward pass goes on with .data.

https://discuss.pytorch.org/t/difference-between-detach-clone-and-clone-detach/34173
"""

import pullback as torch
from pullback import explain

torch.manual_seed(0)
encoder = torch.nn.Linear(4, 3)
head = torch.nn.Linear(3, 1)
x = torch.randn(5, 4)
hidden = encoder(x)
hidden = hidden.data.relu()  # <-- culprit
loss = head(hidden).mean()
loss.backward()
answer = explain.why_none(encoder.weight)
