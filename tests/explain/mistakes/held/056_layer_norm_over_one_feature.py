import torch
from torch import nn


class ValueHead(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.body = nn.Linear(d, d)
        self.score = nn.Linear(d, 1)
        self.norm = nn.LayerNorm(1)

    def forward(self, x):
        return self.norm(self.score(torch.tanh(self.body(x))))


torch.manual_seed(0)
model = ValueHead(5)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
x = torch.randn(12, 5)
y = x.sum(1, keepdim=True)
for epoch in range(4):
    loss = nn.functional.mse_loss(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(epoch, loss.item())
print(model.score.weight.grad)
