import torch
from torch import nn

torch.manual_seed(0)
rows = [[i / 50, (i * 7 % 50) / 50] for i in range(50)]
ctr = [0.2 + 0.7 * a * (1 - b) for a, b in rows]
x = torch.tensor(rows)
t = torch.tensor(ctr, dtype=torch.long).unsqueeze(1)
model = nn.Sequential(nn.Linear(2, 16), nn.Tanh(), nn.Linear(16, 1), nn.Sigmoid())
opt = torch.optim.Adam(model.parameters(), lr=0.02)
for epoch in range(60):
    loss = nn.functional.mse_loss(model(x), t.float())
    opt.zero_grad()
    loss.backward()
    opt.step()
print('mean prediction', model(x).mean().item(), 'wanted', sum(ctr) / 50)
