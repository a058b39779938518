import warnings
import torch
from torch import nn

warnings.simplefilter("ignore")
torch.manual_seed(0)
model = nn.Sequential(nn.Linear(5, 8), nn.ReLU(), nn.Linear(8, 2))
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=1, gamma=0.5)
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
for epoch in range(5):
    x, y = torch.randn(8, 5), torch.randint(0, 2, (8,))
    optimizer.zero_grad()
    loss = nn.functional.cross_entropy(model(x), y)
    loss.backward()
    optimizer.step()
    scheduler.step()
