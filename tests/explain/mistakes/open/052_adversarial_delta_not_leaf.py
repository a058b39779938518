import torch
import torch.nn as nn


def pgd(model, x, y, eps, steps):
    delta = (torch.rand_like(x, requires_grad=True) * 2 - 1) * eps
    for _ in range(steps):
        loss = nn.functional.cross_entropy(model(x + delta), y)
        loss.backward()
        step = delta.grad.sign() * eps / 4
        delta = (delta + step).clamp(-eps, eps).detach().requires_grad_()
    return x + delta.detach()


torch.manual_seed(0)
model = nn.Sequential(nn.Flatten(), nn.Linear(16, 5))
images, labels = torch.rand(3, 1, 4, 4), torch.tensor([0, 1, 4])
adversarial = pgd(model, images, labels, 0.1, 3)
print((adversarial - images).abs().max())
