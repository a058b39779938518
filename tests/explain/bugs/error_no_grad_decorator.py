"""The decorator of the evaluation stands over the training loss, too.

https://github.com/rasbt/faster-pytorch-blog/issues/8
"""

import pullback as torch
from pullback import explain


@torch.no_grad()  # <-- culprit
def compute_loss(model, x):
    return model(x).square().mean()


torch.manual_seed(0)
model = torch.nn.Linear(4, 1)
loss = compute_loss(model, torch.randn(6, 4))
try:
    loss.backward()
except RuntimeError as error:
    answer = explain.why_error(error)
