import torch
import torch.nn as nn

torch.manual_seed(0)
model = nn.Sequential(nn.Flatten(), nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 10))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)


def training_step(x, y):
    loss = nn.functional.cross_entropy(model(x), y)
    optimizer.zero_grad()
    torch.autograd.backward(loss)
    optimizer.step()
    return loss.item()


@torch.no_grad()
def test_step(x, y):
    x.requires_grad_(True)
    loss = nn.functional.nll_loss(model(x).log_softmax(1), y)
    loss.backward()
    return loss.item(), x.grad.abs()


for step in range(3):
    training_step(torch.randn(16, 1, 8, 8), torch.randint(0, 10, (16,)))
model.eval()
loss, saliency = test_step(torch.randn(16, 1, 8, 8), torch.randint(0, 10, (16,)))
print(loss, saliency.shape)
