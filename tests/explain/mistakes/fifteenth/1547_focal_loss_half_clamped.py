import torch
import torch.nn as nn

torch.manual_seed(0)


def focal_loss(y_pred, y_true, gamma=2.0, eps=1e-8):
    y_pred = torch.clamp(y_pred, eps, 1 - eps)
    pos = y_true * torch.pow(1 - y_pred, gamma) * torch.log(y_pred)
    neg = (1 - y_true) * torch.pow(y_pred, gamma) * torch.log(1 - y_pred)
    return -(pos + neg).sum() / y_pred.size(0)


model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
x = torch.randn(64, 8) * 100
y_true = (x[:, 0] > 0).float()
for step in range(3):
    y_pred = torch.sigmoid(model(x)).squeeze(1)
    loss = focal_loss(y_pred, y_true)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(step, loss.item())
