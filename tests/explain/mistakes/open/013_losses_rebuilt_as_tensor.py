import torch
import torch.nn as nn


class MultiTask(nn.Module):
    def __init__(self, heads):
        super().__init__()
        self.trunk = nn.Linear(5, 8)
        self.heads = nn.ModuleList(nn.Linear(8, 1) for _ in range(heads))

    def forward(self, x):
        h = torch.relu(self.trunk(x))
        return [head(h) for head in self.heads]


def combine(losses, weights):
    losses = torch.tensor([loss.item() for loss in losses])
    return (losses * weights).sum()


torch.manual_seed(0)
model = MultiTask(3)
outputs = model(torch.randn(7, 5))
targets = [torch.randn(7, 1) for _ in outputs]
losses = [nn.functional.mse_loss(o, t) for o, t in zip(outputs, targets)]
loss = combine(losses, torch.tensor([1.0, 0.5, 0.1]))
loss.backward()
