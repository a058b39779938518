"""Trained in eval mode."""

import pullback as torch
from pullback import nn

torch.manual_seed(0)


def evaluate(model):
    model.eval()  # <-- culprit
    with torch.no_grad():
        return model(torch.randn(4, 5)).mean().item()


model = nn.Sequential(nn.Linear(5, 8), nn.Dropout(0.5), nn.Linear(8, 1))
optimizer = torch.optim.Adam(model.parameters())
for _ in range(3):
    optimizer.zero_grad()
    model(torch.randn(6, 5)).square().mean().backward()
    optimizer.step()
    evaluate(model)
