import torch
from torch import nn


def run_epoch(model, batches, opt=None):
    losses = []
    for x in batches:
        loss = (model(x) - x).abs().mean()
        if opt:
            opt.zero_grad()
            loss.backward()
            opt.step
        losses.append(loss.item())
    return sum(losses) / len(losses)


torch.manual_seed(0)
model = nn.Sequential(nn.Linear(6, 3), nn.Tanh(), nn.Linear(3, 6))
initial = model[0].weight.detach().clone()
opt = torch.optim.Adam(model.parameters(), lr=1e-2)
batches = torch.randn(4, 10, 6)
for epoch in range(3):
    print(run_epoch(model, batches, opt))
