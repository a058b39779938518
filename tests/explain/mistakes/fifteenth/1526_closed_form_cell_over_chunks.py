import torch
import torch.nn as nn


class CellModel(nn.Module):
    def __init__(self, features, units):
        super().__init__()
        self.units = units
        self.cell = nn.GRUCell(features, units)
        self.readout = nn.Linear(units, 1)

    def forward(self, x, hx):
        outs = []
        for t in range(x.size(1)):
            hx = self.cell(x[:, t], hx)
            outs.append(self.readout(hx))
        return torch.stack(outs, dim=1), hx


torch.manual_seed(0)
model = CellModel(3, 10)
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
loss_fn = nn.MSELoss()
series, target = torch.randn(4, 60, 3), torch.randn(4, 60, 1)
hx = torch.zeros(4, 10)
for chunk in range(0, 60, 20):
    y_hat, hx = model(series[:, chunk:chunk + 20], hx)
    loss = loss_fn(y_hat, target[:, chunk:chunk + 20])
    optimizer.zero_grad()
    loss.backward(retain_graph=True)
    optimizer.step()
    print(chunk, loss.item())
