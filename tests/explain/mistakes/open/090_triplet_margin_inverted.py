import torch
import torch.nn as nn


def triplet_loss(anchor, positive, negative, margin=0.2):
    near = (anchor - positive).pow(2).sum(1)
    far = (anchor - negative).pow(2).sum(1)
    return torch.relu(near - far - margin).mean()


torch.manual_seed(0)
net = nn.Sequential(nn.Linear(6, 8), nn.Tanh(), nn.Linear(8, 3))
optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
for step in range(3):
    anchor = torch.randn(5, 6)
    positive, negative = anchor + 0.1 * torch.randn(5, 6), torch.randn(5, 6)
    loss = triplet_loss(net(anchor), net(positive), net(negative))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(step, loss.item())
