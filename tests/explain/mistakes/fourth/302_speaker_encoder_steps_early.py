import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
body = nn.Sequential(nn.Linear(10, 16), nn.Tanh(), nn.Linear(16, 8))
speaker, domain = nn.Linear(8, 5), nn.Linear(8, 2)
opts = {
    "speaker": torch.optim.Adam([*body.parameters(), *speaker.parameters()], lr=1e-3),
    "domain": torch.optim.Adam([*body.parameters(), *domain.parameters()], lr=1e-3),
}
for _ in range(2):
    x, who, where = torch.randn(6, 10), torch.randint(0, 5, (6,)), torch.randint(0, 2, (6,))
    code = body(x)
    losses = {"speaker": F.cross_entropy(speaker(code), who), "domain": F.cross_entropy(domain(code), where)}
    for task, loss in losses.items():
        opts[task].zero_grad()
        loss.backward(retain_graph=True)
        opts[task].step()
