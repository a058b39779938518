import torch
from torch import nn


class Picker(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv, self.out = nn.Conv1d(3, 8, 5, padding=2), nn.Conv1d(8, 1, 1)

    def forward(self, traces):
        return self.out(torch.relu(self.conv(traces))).squeeze(1)


torch.manual_seed(0)
model = Picker()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for _ in range(3):
    traces = torch.randn(4, 3, 30)
    picks = (torch.rand(4, 30) > 0.9).float()
    loss = nn.functional.binary_cross_entropy_with_logits(model(traces), picks),
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
