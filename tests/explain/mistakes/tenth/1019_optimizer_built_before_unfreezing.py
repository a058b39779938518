import torch
import torch.nn as nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(5, 10), nn.ReLU(), nn.Linear(10, 2))
for p in model[0].parameters():
    p.requires_grad = False
opt = torch.optim.Adam([p for p in model.parameters() if p.requires_grad], lr=1e-3)
before = model[0].weight.clone()
x, y = torch.randn(40, 5), torch.randint(0, 2, (40,))
for epoch in range(6):
    if epoch == 3:
        for p in model[0].parameters():
            p.requires_grad = True
    opt.zero_grad()
    loss = nn.functional.cross_entropy(model(x), y)
    loss.backward()
    opt.step()
print("moved:", (model[0].weight - before).abs().max().item())
