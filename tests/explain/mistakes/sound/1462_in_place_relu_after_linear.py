import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(6, 12), nn.ReLU(inplace=True), nn.Linear(12, 1))
opt = torch.optim.Adam(model.parameters(), lr=1e-2)
x = torch.randn(40, 6)
y = x.pow(2).sum(1)
for epoch in range(15):
    out = model(x)
    loss = nn.functional.mse_loss(out[:, 0], y)
    opt.zero_grad(set_to_none=True)
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 5.0)
    opt.step()
