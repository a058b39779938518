import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Flatten(), nn.Linear(16, 8), nn.ReLU(), nn.Linear(8, 2)).requires_grad_(False)
image = torch.rand(1, 1, 4, 4)
label = torch.tensor([1])
adv = image.clone().requires_grad_()
for k in range(5):
    loss = nn.functional.cross_entropy(net(adv), label)
    loss.backward()
    step = adv.grad.sign()
    adv = adv + 0.01 * step
    adv = torch.min(torch.max(adv, image - 0.03), image + 0.03).clamp(0, 1)
print(loss.item())
