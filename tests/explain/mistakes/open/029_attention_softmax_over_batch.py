import torch
import torch.nn as nn
import torch.nn.functional as F


class AttentionPool(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.score = nn.Linear(width, 1)
        self.out = nn.Linear(width, 2)

    def attend(self, x):
        scores = self.score(torch.tanh(x)).squeeze(-1)
        return F.softmax(scores, dim=0)

    def forward(self, x):
        weights = self.attend(x)
        return self.out((weights.unsqueeze(-1) * x).sum(1))


torch.manual_seed(0)
model = AttentionPool(5)
x, y = torch.randn(4, 6, 5), torch.tensor([0, 1, 1, 0])
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
for _ in range(3):
    loss = F.cross_entropy(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(loss.item())
