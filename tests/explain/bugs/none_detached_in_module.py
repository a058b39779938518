"""A module detaches the hidden state in its forward.

https://discuss.pytorch.org/t/trying-to-understand-why-output-of-nn-linear-for-output-layer-isnt-retaining/40116
"""

import pullback as torch
from pullback import explain


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = torch.nn.Linear(4, 3)
        self.head = torch.nn.Linear(3, 1)

    def forward(self, x):
        hidden = torch.tanh(self.encoder(x))
        hidden = hidden.detach()  # <-- culprit
        return self.head(hidden)


torch.manual_seed(0)
model = Model()
loss = model(torch.randn(5, 4)).mean()
loss.backward()
answer = explain.why_none(model.encoder.weight)
