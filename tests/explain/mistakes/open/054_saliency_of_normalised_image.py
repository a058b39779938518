import torch
import torch.nn as nn
import warnings

warnings.simplefilter("ignore")


def preprocess(image):
    mean = torch.tensor([0.5, 0.4, 0.4]).view(1, 3, 1, 1)
    return (image - mean) / 0.25


def saliency(model, image, label):
    image.requires_grad_()
    image = preprocess(image)
    score = model(image)[0, label]
    score.backward()
    return image.grad


torch.manual_seed(0)
model = nn.Sequential(nn.Conv2d(3, 4, 3), nn.ReLU(), nn.Flatten(), nn.Linear(4 * 16, 5))
heat = saliency(model, torch.rand(1, 3, 6, 6), 2)
print(heat)
