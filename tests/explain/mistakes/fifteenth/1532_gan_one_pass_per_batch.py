import torch
from torch import nn


class D_net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(6, 24), nn.ReLU(), nn.Linear(24, 1))

    def forward(self, s):
        return torch.sigmoid(self.layers(s))


torch.manual_seed(0)
G, D = nn.Sequential(nn.Linear(10, 24), nn.ReLU(), nn.Linear(24, 6)), D_net()
optimG = torch.optim.SGD(G.parameters(), lr=0.01)
optimD = torch.optim.SGD(D.parameters(), lr=0.01)
bce = nn.BCELoss()
for epoch in range(3):
    x = torch.randn(20, 6)
    gen = G(torch.randn(20, 10))
    pred_fake = D(gen)
    lossD = bce(D(x), torch.ones(20, 1)) + bce(pred_fake, torch.zeros(20, 1))
    lossG = bce(pred_fake, torch.ones(20, 1))
    optimD.zero_grad()
    lossD.backward(retain_graph=True)
    optimD.step()
    optimG.zero_grad()
    lossG.backward()
    optimG.step()
