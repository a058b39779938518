import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 1))
params = model.parameters()
opt = torch.optim.SGD(params, lr=1e-3)
x = torch.randn(64, 8)
y = 20 * x.pow(3).sum(1, keepdim=True)
for step in range(10):
    loss = nn.functional.mse_loss(model(x), y)
    opt.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_norm_(params, 1.0)
    norm = sum(q.grad.pow(2).sum() for q in model.parameters()).sqrt().item()
    opt.step()
    print(step, loss.item(), norm)
