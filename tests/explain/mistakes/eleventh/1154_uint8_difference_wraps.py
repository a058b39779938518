import torch
from torch import nn


def frame_difference(video):
    return video[1:] - video[:-1]


torch.manual_seed(0)
video = torch.randint(100, 120, (7, 1, 8, 8), dtype=torch.uint8)
net = nn.Sequential(nn.Flatten(), nn.Linear(64, 8), nn.ReLU(), nn.Linear(8, 1))
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
motion = frame_difference(video)
speed = torch.rand(6, 1)
for _ in range(3):
    loss = nn.functional.mse_loss(net(motion.float() / 255), speed)
    opt.zero_grad()
    loss.backward()
    opt.step()
