import torch
from torch import nn

torch.manual_seed(1)
layers = nn.Linear(4, 8), nn.ReLU(), nn.Dropout(0.5), nn.Linear(8, 8), nn.ReLU(), nn.Linear(8, 1)
model = nn.Sequential(*layers)
optimizer = torch.optim.RMSprop(model.parameters(), lr=1e-3)
data = torch.utils.data.TensorDataset(torch.randn(10, 4), torch.randn(10, 1))
model.train()
for _ in range(2):
    for x, y in torch.utils.data.DataLoader(data, batch_size=4, shuffle=True):
        loss = nn.functional.huber_loss(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
model.eval()
with torch.no_grad():
    print(model(torch.randn(3, 4)))
