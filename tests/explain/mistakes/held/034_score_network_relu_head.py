import torch
from torch import nn


class NoisePredictor(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.time = nn.Embedding(10, d)
        self.body = nn.Linear(d, d)
        self.head = nn.Linear(d, d)
        nn.init.constant_(self.head.bias, -3.0)

    def forward(self, x, t):
        h = torch.tanh(self.body(x + self.time(t)))
        return nn.functional.relu(self.head(h))


torch.manual_seed(0)
model = NoisePredictor(4)
alphas = torch.linspace(0.99, 0.1, 10)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for step in range(3):
    x, noise, t = torch.randn(8, 4), torch.randn(8, 4), torch.randint(0, 10, (8,))
    a = alphas[t].unsqueeze(1)
    loss = nn.functional.mse_loss(model(a.sqrt() * x + (1 - a).sqrt() * noise, t), noise)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(loss.item())
