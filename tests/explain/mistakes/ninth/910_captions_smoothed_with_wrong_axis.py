import torch
import torch.nn.functional as F
from torch import nn


class Pairs(nn.Module):
    def __init__(self):
        super().__init__()
        self.image, self.text = nn.Linear(10, 4), nn.Linear(7, 4)
        self.scale = nn.Parameter(torch.tensor(2.0))

    def forward(self, image, text):
        global unit
        unit = F.normalize(self.image(image), dim=0)
        words = F.normalize(self.text(text), dim=0)
        return self.scale.exp() * unit @ words.T


torch.manual_seed(0)
model = Pairs()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for _ in range(3):
    scores = model(torch.randn(6, 10), torch.randn(6, 7))
    want = torch.arange(6)
    loss = (F.cross_entropy(scores, want) + F.cross_entropy(scores.T, want)) / 2
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
