import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(8, 32), nn.BatchNorm1d(32), nn.ReLU(), nn.Dropout(0.5), nn.Linear(32, 2))
opt = torch.optim.Adam(model.parameters(), lr=1e-3)
x, y = torch.randn(64, 8), torch.randint(0, 2, (64,))


def validate():
    model.eval()
    with torch.no_grad():
        return (model(x[48:]).argmax(1) == y[48:]).float().mean().item()


for epoch in range(4):
    for _ in range(3):
        xb, yb = x[:48], y[:48]
        loss = nn.functional.cross_entropy(model(xb), yb)
        opt.zero_grad()
        loss.backward()
        opt.step()
    if epoch < 3:
        print(epoch, validate())
