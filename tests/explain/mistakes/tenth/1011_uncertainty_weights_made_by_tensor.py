import torch
from torch import nn


class MultiTask(nn.Module):
    def __init__(self):
        super().__init__()
        self.weights = nn.Parameter(torch.zeros(2))
        self.shared, self.one, self.two = nn.Linear(5, 8), nn.Linear(8, 1), nn.Linear(8, 3)

    def forward(self, x, a, b):
        z = torch.relu(self.shared(x))
        first = nn.functional.mse_loss(self.one(z).squeeze(1), a)
        second = nn.functional.cross_entropy(self.two(z), b)
        precision = torch.tensor(torch.exp(-self.weights).tolist())
        return precision[0] * first + precision[1] * second


torch.manual_seed(0)
task = MultiTask()
opt = torch.optim.Adam(task.parameters(), lr=1e-2)
for _ in range(3):
    loss = task(torch.randn(8, 5), torch.randn(8), torch.randint(0, 3, (8,)))
    opt.zero_grad()
    loss.backward()
    opt.step()
