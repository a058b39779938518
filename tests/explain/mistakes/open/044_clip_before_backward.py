import torch
import torch.nn as nn


def train(model, batches, optimizer, max_norm=1.0):
    norms = []
    for x, y in batches:
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(model(x)[0][:, -1], y)
        nn.utils.clip_grad_norm_(model.parameters(), max_norm)
        loss.backward()
        norms.append(torch.stack([p.grad.norm() for p in model.parameters()]).norm().item())
        optimizer.step()
    return norms


torch.manual_seed(0)
model = nn.RNN(2, 4, batch_first=True)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
batches = [(torch.randn(5, 6, 2), 20 * torch.randn(5, 4)) for _ in range(4)]
norms = train(model, batches, optimizer)
print(norms)
