import torch
import torch.nn as nn


class EdgeConvBlock(nn.Module):
    def __init__(self, c_in, c_out):
        super().__init__()
        self.conv = nn.Conv1d(c_in, c_out, kernel_size=1)
        self.bn = nn.BatchNorm1d(c_out)

    def forward(self, x, mask):
        h = torch.relu(self.bn(self.conv(x)))
        h *= mask
        return h


torch.manual_seed(3)
block1, block2 = EdgeConvBlock(4, 16), EdgeConvBlock(16, 16)
fc = nn.Linear(16, 2)
params = list(block1.parameters()) + list(block2.parameters()) + list(fc.parameters())
opt = torch.optim.Adam(params, lr=1e-3)
points = torch.randn(8, 4, 20)
mask = (torch.rand(8, 1, 20) > 0.3).float()
jet = torch.randint(0, 2, (8,))
for step in range(3):
    feats = block2(block1(points, mask), mask)
    logits = fc(feats.sum(-1) / mask.sum(-1).clamp(min=1))
    loss = nn.functional.cross_entropy(logits, jet)
    opt.zero_grad()
    loss.backward()
    opt.step()
