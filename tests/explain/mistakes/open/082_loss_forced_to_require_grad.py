import torch
import torch.nn as nn


class AccuracyLoss(nn.Module):
    def forward(self, logits, labels):
        wrong = (logits.argmax(dim=1) != labels).float()
        return wrong.mean()


torch.manual_seed(0)
model = nn.Linear(4, 3)
criterion = AccuracyLoss()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
x, y = torch.randn(12, 4), torch.randint(0, 3, (12,))
for epoch in range(4):
    loss = criterion(model(x), y)
    loss.requires_grad = True
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(epoch, loss.item(), model.weight.grad)
