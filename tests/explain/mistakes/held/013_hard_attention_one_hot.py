import torch
import torch.nn as nn
import torch.nn.functional as F


class HardPointer(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.score = nn.Linear(d, 1)
        self.out = nn.Linear(d, 2)

    def select(self, x):
        best = self.score(x).squeeze(-1).argmax(dim=1)
        return F.one_hot(best, x.size(1)).to(x.dtype)

    def forward(self, x):
        chosen = torch.einsum("bt,btd->bd", self.select(x), x)
        return self.out(chosen)


torch.manual_seed(0)
model = HardPointer(4)
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
x, y = torch.randn(6, 5, 4), torch.randint(0, 2, (6,))
for _ in range(3):
    loss = F.cross_entropy(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(model.score.weight.grad)
