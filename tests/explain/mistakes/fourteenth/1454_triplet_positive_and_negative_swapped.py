import torch
from torch import nn

torch.manual_seed(0)
centres = torch.randn(5, 10)
net = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 4))
criterion = nn.TripletMarginLoss(margin=1.0)
opt = torch.optim.Adam(net.parameters(), lr=5e-3)


def draw(who):
    return centres[who] + 0.3 * torch.randn(len(who), 10)


for step in range(60):
    who = torch.randint(0, 5, (32,))
    other = (who + torch.randint(1, 5, (32,))) % 5
    a, p, n = draw(who), draw(who), draw(other)
    loss = criterion(net(a), net(n), net(p))
    opt.zero_grad()
    loss.backward()
    opt.step()
print(loss.item())
