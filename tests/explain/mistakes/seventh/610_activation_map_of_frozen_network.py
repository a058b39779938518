import torch
from torch import nn


class ActivationMap:
    def __init__(self, model, layer):
        self.model = model.eval().requires_grad_(False)
        layer.register_forward_hook(self.keep)

    def keep(self, module, inputs, out):
        self.activation = out
        out.register_hook(self.keep_gradient)

    def keep_gradient(self, g):
        self.gradient = g

    def __call__(self, image, target):
        self.model(image)[0, target].backward()
        weights = self.gradient.mean((2, 3), keepdim=True)
        return torch.relu((weights * self.activation).sum(1))


torch.manual_seed(0)
model = nn.Sequential(nn.Conv2d(3, 4, 3), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(4, 2))
explain = ActivationMap(model, model[1])
print(explain(torch.rand(1, 3, 10, 10), 1))
