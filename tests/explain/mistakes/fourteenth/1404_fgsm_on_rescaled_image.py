import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Flatten(), nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 10))
model.eval()


def fgsm(image, label, eps=0.1):
    image.requires_grad_(True)
    image = (image - 0.5) / 0.25
    loss = nn.functional.cross_entropy(model(image), label)
    model.zero_grad()
    loss.backward()
    return (image + eps * image.grad.sign()).detach()


images = torch.rand(4, 1, 8, 8)
labels = torch.randint(0, 10, (4,))
adv = fgsm(images, labels)
print((adv - images).abs().max())
