import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 1))
params = model.parameters()
optimizer = torch.optim.SGD(params, lr=1e-3)
for step in range(4):
    x = torch.randn(8, 4)
    loss = nn.functional.mse_loss(model(x), 20 * x[:, :1])
    optimizer.zero_grad()
    loss.backward()
    before = nn.utils.clip_grad_norm_(params, 1.0)
    optimizer.step()
