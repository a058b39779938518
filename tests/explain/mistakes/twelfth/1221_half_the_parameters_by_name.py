import torch
from torch import nn


def groups(model, decay):
    weights = [p for n, p in model.named_parameters() if n.endswith("weight") and p.ndim > 1]
    biases = [p for n, p in model.named_parameters() if n.endswith("bias")]
    return [{"params": weights, "weight_decay": decay}, {"params": biases, "weight_decay": 0}]


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.norm, self.b = nn.Linear(5, 8), nn.LayerNorm(8), nn.Linear(8, 2)

    def forward(self, x):
        return self.b(self.norm(self.a(x)).relu())


torch.manual_seed(0)
net = Net()
opt = torch.optim.AdamW(groups(net, 0.1), lr=1e-2)
for _ in range(5):
    loss = nn.functional.cross_entropy(net(torch.randn(9, 5)), torch.randint(0, 2, (9,)))
    opt.zero_grad(); loss.backward(); opt.step()
