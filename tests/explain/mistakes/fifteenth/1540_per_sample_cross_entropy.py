import torch
import torch.nn as nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 4))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
criterion = nn.CrossEntropyLoss(reduction="none")
inputs = torch.randn(40, 8)
labels = torch.randint(0, 4, (40,))
for epoch in range(5):
    for i in range(0, 40, 10):
        xb, yb = inputs[i:i + 10], labels[i:i + 10]
        optimizer.zero_grad()
        outputs = model(xb)
        loss = criterion(outputs, yb)
        loss.backward()
        optimizer.step()
    print(epoch, loss)
