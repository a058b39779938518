import torch
from torch import nn


class Fusion(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.out = nn.Linear(width, 2)
        self.width = width

    def forward(self, image, text):
        both = torch.cat([image, text], dim=1)
        projection = nn.Linear(both.size(1), self.width)
        return self.out(torch.relu(projection(both)))


torch.manual_seed(0)
net = Fusion(6)
optimizer = torch.optim.Adam(net.parameters(), lr=0.01)
image, text, y = torch.randn(8, 5), torch.randn(8, 3), torch.randint(0, 2, (8,))
for epoch in range(5):
    loss = nn.functional.cross_entropy(net(image, text), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(epoch, loss.item())
