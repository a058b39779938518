import torch
import torch.nn as nn


class GridRNN(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.width = width
        self.cell = nn.Linear(3 * width, width)

    def forward(self, image):
        rows, cols, _ = image.shape
        states = torch.zeros(rows + 1, cols + 1, self.width)
        for i in range(rows):
            for j in range(cols):
                inputs = torch.cat([image[i, j], states[i, j + 1], states[i + 1, j]])
                states[i + 1, j + 1] = torch.tanh(self.cell(inputs)) * (1 - states[i, j + 1] ** 2)
        return states[-1, -1]


torch.manual_seed(0)
model = GridRNN(3)
out = model(torch.randn(3, 3, 3))
loss = (out - 1).pow(2).sum()
loss.backward()
print(model.cell.weight.grad.norm())
