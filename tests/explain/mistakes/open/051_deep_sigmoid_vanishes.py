import torch
import torch.nn as nn


class DeepNet(nn.Module):
    def __init__(self, depth, width):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(width, width) for _ in range(depth))
        self.out = nn.Linear(width, 1)

    def forward(self, x):
        for layer in self.layers:
            x = torch.sigmoid(layer(x))
        return self.out(x)


torch.manual_seed(0)
model = DeepNet(14, 6)
x, y = torch.randn(16, 6), torch.randn(16, 1)
loss = nn.functional.mse_loss(model(x), y)
loss.backward()
for i, layer in enumerate(model.layers):
    print(i, layer.weight.grad.norm().item())
