import torch
from torch import nn

torch.manual_seed(0)
tower = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 4))
criterion = nn.CosineEmbeddingLoss(margin=0.2)
opt = torch.optim.Adam(tower.parameters(), lr=1e-2)
for _ in range(10):
    left = torch.randn(20, 8)
    same = (torch.rand(20) > 0.5).float()
    right = torch.where(same[:, None] > 0, left + 0.1 * torch.randn(20, 8), torch.randn(20, 8))
    loss = criterion(tower(left), tower(right), same)
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(loss.item())
