import torch
from torch import nn


class Heads(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(8, 12)
        self.main, self.aux = nn.Linear(12, 3), nn.Linear(12, 1)

    def losses(self, x, y, depth):
        h = torch.relu(self.body(x))
        loss = nn.functional.cross_entropy(self.main(h), y)
        loss =+ 0.3 * nn.functional.mse_loss(self.aux(h).squeeze(1), depth)
        return loss


torch.manual_seed(0)
model = Heads()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(3):
    optimizer.zero_grad()
    loss = model.losses(torch.randn(6, 8), torch.randint(0, 3, (6,)), torch.rand(6))
    loss.backward()
    optimizer.step()
