"""A tensor that requires grad is replaced by its copy of another dtype, as by .cuda().

https://github.com/pytorch/pytorch/issues/12627
"""

import pullback as torch
from pullback import explain

torch.manual_seed(0)
inputs = torch.randn(3, 5)
inputs.requires_grad = True
inputs = inputs.to(torch.float64)  # <-- culprit
net = torch.nn.Sequential(torch.nn.Linear(5, 5), torch.nn.Softmax(dim=1)).double()
loss = torch.nn.functional.nll_loss(net(inputs), torch.tensor([1, 2, 3]))
loss.backward()
answer = explain.why_none(inputs)
