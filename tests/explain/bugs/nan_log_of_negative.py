"""A ratio that rounding or training made negative.

https://discuss.pytorch.org/t/nan-loss-in-rnn-model/655
"""

import pullback as torch
from pullback import explain

w = torch.tensor([0.5, -0.2], requires_grad=True)
x = torch.tensor([1.0, 1.0])
rate = w * x
loss = -torch.log(rate).sum()  # <-- culprit
answer = explain.why_nan(loss)
