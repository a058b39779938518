import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
image_tower, text_tower = nn.Linear(20, 8), nn.Linear(12, 8)
opt = torch.optim.Adam([*image_tower.parameters(), *text_tower.parameters()], lr=1e-2)
shared = torch.randn(48, 6)
images = shared @ torch.randn(6, 20)
texts = shared @ torch.randn(6, 12)
for step in range(30):
    idx = torch.randperm(48)[:16]
    a = F.normalize(image_tower(images[idx]), dim=1)
    b = F.normalize(text_tower(texts[idx]), dim=1)
    sim = a @ b.t() / 0.1
    target = torch.zeros(len(a), dtype=torch.long)
    loss = 0.5 * (F.cross_entropy(sim, target) + F.cross_entropy(sim.t(), target))
    opt.zero_grad()
    loss.backward()
    opt.step()
print((sim.argmax(1) == torch.arange(16)).float().mean().item())
