import torch
from torch import nn

torch.manual_seed(0)
lstat = torch.rand(200) * 35 + 2
crim = torch.rand(200) * 80
rm = torch.rand(200) * 4 + 4
labels = (9.0 * rm - 0.6 * lstat - 0.1 * crim - 20 + torch.randn(200)).reshape(-1, 1)
features = torch.stack([lstat, crim, rm], dim=1)

net = nn.Sequential(nn.Linear(3, 1))
net[0].weight.data.normal_(0, 0.01)
net[0].bias.data.fill_(0)
lr = 0.03
loss_fn = nn.MSELoss()
optimizer = torch.optim.SGD(net.parameters(), lr=lr)
batch_size = 10
for epoch in range(5):
    for i in range(0, 200, batch_size):
        X, y = features[i:i + batch_size], labels[i:i + batch_size]
        l = loss_fn(net(X), y)
        optimizer.zero_grad()
        l.backward()
        optimizer.step()
    loss = loss_fn(net(features), labels)
    print(f"epoch {epoch + 1}, loss {loss.item():f}")
