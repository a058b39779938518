import torch
from torch import nn


class ErrorRate(nn.Module):
    def forward(self, logits, labels):
        predicted = logits.argmax(dim=-1)
        return 1 - (predicted == labels).float().mean()


torch.manual_seed(0)
model = nn.Sequential(nn.Flatten(), nn.Linear(16, 12), nn.ReLU(), nn.Linear(12, 4))
criterion = ErrorRate()
optimizer = torch.optim.Adam(model.parameters())
images, labels = torch.randn(9, 1, 4, 4), torch.randint(0, 4, (9,))
for epoch in range(2):
    optimizer.zero_grad()
    loss = criterion(model(images), labels)
    loss.backward()
    optimizer.step()
