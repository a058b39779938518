import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(10, 20), nn.ReLU(), nn.Linear(20, 2))
for q in model[0].parameters():
    q.requires_grad = False

trainable = filter(lambda p: p.requires_grad, model.parameters())
print('trainable:', sum(p.numel() for p in trainable))
opt = torch.optim.Adam(trainable, lr=1e-3)

x, y = torch.randn(16, 10), torch.randint(0, 2, (16,))
for epoch in range(3):
    loss = nn.functional.cross_entropy(model(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
