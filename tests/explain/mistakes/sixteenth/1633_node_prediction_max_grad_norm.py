import torch
import torch.nn as nn


class GraphEncoder(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.w1, self.w2 = nn.Linear(d, 32), nn.Linear(32, 1)

    def forward(self, adj, feat):
        return self.w2(torch.relu(self.w1(adj @ feat)))


def fit(model, adj, feat, target, max_grad_norm, epochs):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    curve = []
    for epoch in range(epochs):
        loss = nn.functional.mse_loss(model(adj, feat), target)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if max_grad_norm is not None:
            nn.utils.clip_grad_norm_(model.parameters(), max_grad_norm)
        curve.append(loss.item())
    return curve


torch.manual_seed(0)
adj = (torch.rand(50, 50) < 0.2).float() + torch.eye(50)
feat = torch.rand(50, 8) * 3
target = (adj @ feat).sum(1, keepdim=True)
curve = fit(GraphEncoder(8), adj, feat, target, max_grad_norm=1.0, epochs=30)
print(curve)
