import torch
from torch import nn


class Denoise(nn.Module):
    def __init__(self):
        super().__init__()
        self.into, self.out = nn.Linear(8, 16), nn.Linear(16, 8)

    def forward(self, batch):
        batch["clean"] = self.out(torch.relu(self.into(batch["noisy"])))
        return batch["clean"]


def step(model, optimizer, batch):
    restored = model(batch)
    loss = nn.functional.mse_loss(restored, batch["clean"])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.item()


torch.manual_seed(0)
model = Denoise()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for _ in range(3):
    clean = torch.randn(6, 8)
    print(step(model, optimizer, {"clean": clean, "noisy": clean + 0.3 * torch.randn(6, 8)}))
