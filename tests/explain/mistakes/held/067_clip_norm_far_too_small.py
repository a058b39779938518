import torch
from torch import nn


def optimise(model, batches, optimizer, clip):
    for x, y in batches:
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(model(x), y)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), clip)
        optimizer.step()
        print(loss.item())


config = {"lr": 0.1, "clip": 1e-6}
torch.manual_seed(0)
model = nn.Linear(3, 1)
start = model.weight.detach().clone()
optimizer = torch.optim.SGD(model.parameters(), lr=config["lr"])
x = torch.randn(20, 3)
y = x @ torch.tensor([[1.0], [2.0], [3.0]])
optimise(model, [(x, y)] * 6, optimizer, config["clip"])
