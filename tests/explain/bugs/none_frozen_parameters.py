"""A parameter was frozen earlier and is to be trained now.

https://discuss.pytorch.org/t/how-the-pytorch-freeze-network-in-some-layers-only-the-rest-of-the-training/7088
"""

import pullback as torch
from pullback import explain

torch.manual_seed(0)
backbone = torch.nn.Linear(4, 3)
head = torch.nn.Linear(3, 1)
for parameter in backbone.parameters():
    parameter.requires_grad = False  # <-- culprit
loss = head(backbone(torch.randn(5, 4)).relu()).mean()
loss.backward()
answer = explain.why_none(backbone.weight)
