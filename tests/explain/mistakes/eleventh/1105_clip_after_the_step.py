import torch
from torch import nn
from torch.nn.utils import clip_grad_norm_


def train_step(model, opt, x, y):
    opt.zero_grad()
    loss = ((model(x) - y) ** 2).sum()
    loss.backward()
    opt.step()
    clip_grad_norm_(model.parameters(), 0.5)
    return loss.detach()


torch.manual_seed(0)
model = nn.Sequential(nn.Linear(10, 10), nn.Tanh(), nn.Linear(10, 1))
start = [p.detach().clone() for p in model.parameters()]
opt = torch.optim.SGD(model.parameters(), lr=0.01)
for _ in range(3):
    train_step(model, opt, torch.randn(64, 10), 100 * torch.randn(64, 1))
moved = max((a - b).norm().item() for a, b in zip(model.parameters(), start))
