import pullback as torch
from pullback import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 3))
fisher = [torch.zeros_like(p) for p in net.parameters()]
for _ in range(6):
    net.zero_grad()
    scores = net(torch.randn(1, 4)).log_softmax(1)
    (-scores[0, int(scores.argmax())]).backward()
    for total, p in zip(fisher, net.parameters()):
        total += p.grad**2 / 6
