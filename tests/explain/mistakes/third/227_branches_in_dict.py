import torch
from torch import nn


class Modal(nn.Module):
    def __init__(self, sizes):
        super().__init__()
        self.branches = {k: nn.Linear(n, 8) for k, n in sizes.items()}
        self.head = nn.Linear(8 * len(sizes), 2)

    def forward(self, batch):
        parts = [torch.relu(self.branches[k](batch[k])) for k in sorted(self.branches)]
        return self.head(torch.cat(parts, dim=1))


torch.manual_seed(0)
sizes = {"audio": 5, "text": 7}
model = Modal(sizes)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
batch = {k: torch.randn(6, n) for k, n in sizes.items()}
labels = torch.randint(0, 2, (6,))
for step in range(3):
    optimizer.zero_grad()
    loss = nn.functional.cross_entropy(model(batch), labels)
    loss.backward()
    optimizer.step()
