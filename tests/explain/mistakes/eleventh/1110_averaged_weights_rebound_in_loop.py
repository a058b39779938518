import copy

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(3, 3)
ema = copy.deepcopy(model)
first = [p.clone() for p in ema.parameters()]
opt = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(20):
    x = torch.randn(8, 3)
    loss = nn.functional.mse_loss(model(x), 2 * x)
    opt.zero_grad()
    loss.backward()
    opt.step()
    with torch.no_grad():
        for slow, fast in zip(ema.parameters(), model.parameters()):
            slow = 0.9 * slow + 0.1 * fast
print("averaged:", nn.functional.mse_loss(ema(x), 2 * x).item())
