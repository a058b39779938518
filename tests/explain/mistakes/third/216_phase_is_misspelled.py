import torch
from torch import nn


def epoch(model, optimizer, batches, phase):
    total = 0.0
    for x, y in batches[phase.lower()]:
        with torch.set_grad_enabled(phase == "train"):
            loss = nn.functional.mse_loss(model(x), y)
        if phase != "Val":
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        total += loss.item()
    return total


torch.manual_seed(0)
model = nn.Linear(3, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
batches = {k: [(torch.randn(4, 3), torch.randn(4, 1))] * 2 for k in ("train", "val")}
for phase in ["Train", "Val"]:
    print(phase, epoch(model, optimizer, batches, phase))
