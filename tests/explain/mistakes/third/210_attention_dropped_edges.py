import torch
import torch.nn as nn


class GATLayer(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.lin = nn.Linear(inputs, outputs, bias=False)
        self.attn = nn.Parameter(torch.randn(2 * outputs))

    def forward(self, h, adj):
        z = self.lin(h)
        n = z.shape[0]
        pairs = torch.cat([z.repeat_interleave(n, 0), z.repeat(n, 1)], dim=1)
        scores = torch.nn.functional.leaky_relu(pairs @ self.attn).view(n, n)
        alpha = torch.softmax(scores, dim=1)
        alpha[adj == 0] = 0
        return alpha @ z


torch.manual_seed(0)
layer = GATLayer(5, 4)
adj = (torch.rand(6, 6) > 0.4).float()
out = layer(torch.randn(6, 5), adj)
out.pow(2).sum().backward()
print(layer.attn.grad)
