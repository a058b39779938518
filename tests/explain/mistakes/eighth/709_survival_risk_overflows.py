import torch
from torch import nn


class Cox(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.risk = nn.Linear(features, 1, bias=False)

    def forward(self, x):
        return self.risk(x).squeeze(1)


def partial_likelihood(risk, time, event):
    order = time.argsort(descending=True)
    risk, event = risk[order], event[order]
    total = risk.exp().cumsum(0)
    return -((risk - total.log()) * event).sum() / event.sum()


torch.manual_seed(0)
model = Cox(4)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
x = torch.randn(12, 4) * torch.tensor([1.0, 1.0, 500.0, 1.0])
time, event = torch.rand(12), (torch.rand(12) > 0.4).float()
loss = partial_likelihood(model(x), time, event)
optimizer.zero_grad()
loss.backward()
optimizer.step()
