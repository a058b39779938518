import torch
from torch import nn


class Siamese(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 4))

    def forward(self, a, b):
        return nn.functional.cosine_similarity(self.net(a), self.net(b))


torch.manual_seed(0)
model = Siamese()
criterion = nn.MarginRankingLoss(margin=0.5)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(3):
    a, b = torch.randn(8, 6), torch.randn(8, 6)
    labels = torch.tensor([1.0, 0, 1, 0, 0, 1, 1, 0])
    similarity = model(a, b)
    similarity.retain_grad()
    loss = criterion(similarity, torch.zeros(8), labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
