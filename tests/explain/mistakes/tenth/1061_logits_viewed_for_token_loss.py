import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
conv = nn.Conv1d(6, 11, kernel_size=3, padding=1)
opt = torch.optim.Adam(conv.parameters(), lr=1e-2)
frames = torch.randn(6, 20)
phonemes = torch.randint(0, 11, (20,))
for _ in range(10):
    logits = conv(frames[None]).transpose(0, 1)
    loss = F.cross_entropy(logits.reshape(20, 11), phonemes)
    opt.zero_grad()
    loss.backward()
    opt.step()
logits = logits.contiguous()
print(loss.item(), logits.shape)
