import torch
import torch.nn as nn


class PartCapsules(nn.Module):
    def __init__(self, n_caps, dim):
        super().__init__()
        self.centers = nn.Parameter(torch.randn(n_caps, dim))
        self.mix = nn.Parameter(torch.zeros(n_caps))
        self.scale = 0.1

    def log_likelihood(self, x):
        d2 = ((x[:, None] - self.centers[None]) / self.scale).pow(2).sum(-1)
        log_probs = torch.log_softmax(self.mix, 0) - 0.5 * d2
        return torch.log(torch.exp(log_probs).sum(1))


torch.manual_seed(0)
model = PartCapsules(5, 6)
optimizer = torch.optim.RMSprop(model.parameters(), lr=1e-2)
points = torch.randn(40, 6)
for epoch in range(4):
    loss = -model.log_likelihood(points).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(epoch, loss.item())
