import torch
from torch import nn


class Attention(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.q, self.k = nn.Linear(d, d, bias=False), nn.Linear(d, d, bias=False)
        self.v = nn.Linear(d, 2)
        nn.init.normal_(self.q.weight, std=4.0)
        nn.init.normal_(self.k.weight, std=4.0)

    def forward(self, x):
        scores = self.q(x) @ self.k(x).transpose(1, 2)
        attention = scores.softmax(dim=-1)
        return (attention @ self.v(x)).mean(1)


torch.manual_seed(0)
model = Attention(32)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-4)
x, y = 4 * torch.randn(4, 6, 32), torch.randint(0, 2, (4,))
for _ in range(2):
    loss = nn.functional.cross_entropy(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(loss.item(), model.q.weight.grad.abs().max().item())
