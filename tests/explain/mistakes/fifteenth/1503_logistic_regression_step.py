import torch
from torch import nn
from torch.nn import functional as F


class LogisticRegression(nn.Module):
    def __init__(self, input_dim, num_classes):
        super().__init__()
        self.linear = nn.Linear(input_dim, num_classes)

    def forward(self, x):
        x = self.linear(x)
        y_hat = F.softmax(x, dim=-1)
        return y_hat

    def training_step(self, batch):
        x, y = batch
        y_hat = self(x)
        return F.cross_entropy(y_hat, y)


torch.manual_seed(3)
y = torch.randint(0, 3, (150,))
x = torch.randn(150, 4) + 3 * torch.eye(3, 4)[y]
model = LogisticRegression(4, 3)
opt = torch.optim.Adam(model.parameters(), lr=0.05)
losses = []
for step in range(150):
    loss = model.training_step((x, y))
    opt.zero_grad()
    loss.backward()
    opt.step()
    losses.append(loss.item())
print("final loss", losses[-1])
