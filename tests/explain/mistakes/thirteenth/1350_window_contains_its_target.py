import torch
from torch import nn

torch.manual_seed(0)
WINDOW = 12
series = torch.cumsum(torch.randn(150), 0)
series = (series - series.mean()) / series.std()

count = len(series) - WINDOW
xs = torch.stack([series[i:i + WINDOW] for i in range(count)])
ys = torch.stack([series[i + WINDOW - 1] for i in range(count)])

model = nn.Sequential(nn.Linear(WINDOW, 32), nn.ReLU(), nn.Linear(32, 1))
opt = torch.optim.Adam(model.parameters(), lr=5e-3)
split = int(0.8 * count)
for epoch in range(30):
    loss = nn.functional.mse_loss(model(xs[:split]).squeeze(1), ys[:split])
    opt.zero_grad()
    loss.backward()
    opt.step()
with torch.no_grad():
    print('test mse', nn.functional.mse_loss(model(xs[split:]).squeeze(1), ys[split:]).item())
