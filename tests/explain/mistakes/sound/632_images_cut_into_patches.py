import torch
from torch import nn


class Patches(nn.Module):
    def __init__(self):
        super().__init__()
        self.into = nn.Linear(3 * 4 * 4, 16)
        self.mix = nn.TransformerEncoderLayer(16, 4, 32, batch_first=True)
        self.out = nn.Linear(16, 5)

    def forward(self, x):
        n, c, h, w = x.shape
        x = x.reshape(n, c, h // 4, 4, w // 4, 4).permute(0, 2, 4, 1, 3, 5)
        return self.out(self.mix(self.into(x.flatten(3).flatten(1, 2))).mean(1))


torch.manual_seed(0)
model = Patches()
optimizer = torch.optim.AdamW(model.parameters(), lr=3e-4)
schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=1e-3, total_steps=4)
for _ in range(4):
    x, y = torch.rand(4, 3, 16, 16), torch.randint(0, 5, (4,))
    loss = nn.functional.cross_entropy(model(x), y, label_smoothing=0.1)
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    schedule.step()
