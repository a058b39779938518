import warnings
import torch
from torch import nn

warnings.simplefilter("ignore")


def gram(features):
    b, c, h, w = features.shape
    flat = features.view(b, c, h * w)
    return flat @ flat.transpose(1, 2) / (c * h * w)


def start_image(content):
    noisy = content.clone().requires_grad_() + 0.05 * torch.randn_like(content)
    return noisy.clamp(0, 1)


torch.manual_seed(0)
extract = nn.Sequential(nn.Conv2d(3, 4, 3), nn.ReLU()).requires_grad_(False)
content, style = torch.rand(1, 3, 6, 6), torch.rand(1, 3, 6, 6)
image = start_image(content)
loss = (gram(extract(image)) - gram(extract(style))).pow(2).sum()
loss.backward()
print(image.grad)
