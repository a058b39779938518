"""Accuracy compares, and is no loss.

https://forums.fast.ai/t/why-does-the-nll-has-grad-fn-while-accuracy-doesnt/50891
"""

import pullback as torch
from pullback import explain


def accuracy(scores, target):
    predicted = scores > 0.5  # <-- culprit
    return (predicted.float() - target).abs().mean()


torch.manual_seed(0)
model = torch.nn.Linear(4, 1)
scores = model(torch.randn(6, 4)).sigmoid().squeeze(1)
loss = accuracy(scores, torch.ones(6))
try:
    loss.backward()
except RuntimeError as error:
    answer = explain.why_error(error)
