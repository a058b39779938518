import torch
from torch import nn


class TwoHeads(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(9, 16)
        self.policy, self.value = nn.Linear(16, 9), nn.Linear(16, 1)

    def forward(self, boards):
        h = torch.relu(self.body(boards))
        return self.policy(h), [float(v) for v in self.value(h)]


def loss_of(policy, values, moves, results):
    values = torch.tensor(values)
    return nn.functional.cross_entropy(policy, moves) + (values - results).pow(2).mean()


torch.manual_seed(0)
net = TwoHeads()
optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
for _ in range(2):
    boards, moves, results = torch.randn(5, 9), torch.randint(0, 9, (5,)), torch.randn(5)
    loss = loss_of(*net(boards), moves, results)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
