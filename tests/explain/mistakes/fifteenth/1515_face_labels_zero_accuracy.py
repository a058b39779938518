import torch
import torch.nn as nn

torch.manual_seed(0)
data_input = torch.randn(64, 12)
label = torch.randint(0, 5, (64,))
model = nn.Sequential(nn.Linear(12, 32), nn.PReLU(), nn.Linear(32, 5))
criterion = nn.SmoothL1Loss()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, weight_decay=5e-4)
losses = []
for epoch in range(8):
    output = model(data_input)
    _, preds = torch.max(output, 1)
    loss = criterion(preds.float(), label.float())
    loss.requires_grad = True
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    acc = (preds == label).float().mean().item()
    losses.append(loss.item())
    print("epoch", epoch, "loss", loss.item(), "acc", acc)
