import torch
from torch import nn
from torch.optim.lr_scheduler import OneCycleLR

torch.manual_seed(0)
model = nn.Linear(5, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
loader = [(torch.randn(4, 5), torch.randn(4, 1)) for _ in range(20)]
epochs = 3
scheduler = OneCycleLR(optimizer, max_lr=0.1, epochs=epochs, steps_per_epoch=len(loader))
for epoch in range(epochs):
    for x, y in loader:
        loss = nn.functional.mse_loss(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    scheduler.step()
    print(epoch, optimizer.param_groups[0]["lr"])
