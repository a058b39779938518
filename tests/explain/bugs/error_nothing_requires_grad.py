"""No tensor of the computation requires grad.

https://geek-docs.com/pytorch/pytorch-questions/409_pytorch_pytorch_runtimeerror_element_0_of_tensors_does_not_require_grad_and_does_not_have_a_grad_fn.html
"""

import pullback as torch
from pullback import explain

x = torch.tensor([1.0, 2.0, 3.0])  # <-- culprit
y = x**2
loss = y.sum()
try:
    loss.backward()
except RuntimeError as error:
    answer = explain.why_error(error)
