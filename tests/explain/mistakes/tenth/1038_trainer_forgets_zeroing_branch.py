import torch
from torch import nn


def closure_step(model, opt, batch, scheduler=None):
    x, y = batch
    loss = nn.functional.mse_loss(model(x), y)
    loss.backward()
    opt.step()
    if scheduler is not None:
        scheduler.step()
        opt.zero_grad()
    return loss.item()


torch.manual_seed(0)
model, norms = nn.Linear(4, 1), []
opt = torch.optim.SGD(model.parameters(), lr=2e-4)
x = torch.randn(32, 4)
y = x @ torch.tensor([[3.0], [1.0], [-2.0], [4.0]])
for epoch in range(10):
    closure_step(model, opt, (x, y))
    norms.append(model.weight.grad.norm().item())
