"""The forward pass runs in the no_grad block of the evaluation.

https://discuss.pytorch.org/t/runtimeerror-element-0-of-variables-does-not-require-grad-and-does-not-have-a-grad-fn/11074
"""

import pullback as torch
from pullback import explain

torch.manual_seed(0)
model = torch.nn.Linear(4, 1)
x = torch.randn(6, 4)
with torch.no_grad():  # <-- culprit
    prediction = model(x)
loss = prediction.square().mean()
try:
    loss.backward()
except RuntimeError as error:
    answer = explain.why_error(error)
