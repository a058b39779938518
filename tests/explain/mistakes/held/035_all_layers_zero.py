import torch
from torch import nn


class TwoLayer(nn.Module):
    def __init__(self, n_in, hidden, n_out):
        super().__init__()
        self.w1 = nn.Parameter(torch.zeros(n_in, hidden))
        self.w2 = nn.Parameter(torch.zeros(hidden, n_out))
        self.bias = nn.Parameter(torch.zeros(n_out))

    def forward(self, x):
        return torch.tanh(x @ self.w1) @ self.w2 + self.bias


torch.manual_seed(0)
model = TwoLayer(3, 6, 2)
optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
x, y = torch.randn(20, 3), torch.randint(0, 2, (20,))
for epoch in range(5):
    loss = nn.functional.cross_entropy(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(epoch, loss.item())
