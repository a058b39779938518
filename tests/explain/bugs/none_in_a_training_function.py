"""The model is trained in a function that works on detached inputs of the head.

https://discuss.pytorch.org/t/clone-and-detach-in-v0-4-0/16861
"""

import pullback as torch
from pullback import explain


def train(encoder, head, x):
    for _ in range(2):
        features = encoder(x).relu()
        scores = head(features.detach())  # <-- culprit
        loss = scores.square().mean()
        loss.backward()
    return explain.why_none(encoder.weight)


torch.manual_seed(0)
answer = train(torch.nn.Linear(3, 3), torch.nn.Linear(3, 1), torch.randn(4, 3))
