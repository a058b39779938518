import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
head = nn.Linear(10, 4)
opt = torch.optim.SGD(head.parameters(), lr=0.05)


def box_loss(pred, target, pos):
    per_anchor = F.smooth_l1_loss(pred, target, reduction='none').sum(1)
    loss = (per_anchor * pos).sum() / pos.sum()
    return loss


for objects in (3, 2, 0, 4):
    feats = torch.randn(25, 10)
    pos = torch.zeros(25, dtype=torch.bool)
    pos[torch.randperm(25)[:objects]] = True
    loss = box_loss(head(feats), torch.rand(25, 4), pos)
    opt.zero_grad()
    loss.backward()
    opt.step()
