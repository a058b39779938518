"""Weights from a state dict."""

import pullback as torch
from pullback import nn
from pullback.func import functional_call


class Regressor(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(1, 20), nn.ReLU(), nn.Linear(20, 1))

    def forward(self, x):
        return self.net(x)


def adapt(model, x, y, rate):
    weights = {name: value.requires_grad_() for name, value in model.state_dict().items()}  # <-- culprit
    loss = nn.functional.mse_loss(functional_call(model, weights, (x,)), y)
    slopes = torch.autograd.grad(loss, list(weights.values()), create_graph=True)
    return {name: w - rate * g for (name, w), g in zip(weights.items(), slopes)}


torch.manual_seed(0)
model = Regressor()
meta = torch.optim.Adam(model.parameters(), lr=1e-3)
for _ in range(2):
    x = torch.rand(10, 1)
    fast = adapt(model, x, x.sin(), 0.01)
    loss = nn.functional.mse_loss(functional_call(model, fast, (x,)), x.sin())
    meta.zero_grad()
    loss.backward()
    meta.step()
