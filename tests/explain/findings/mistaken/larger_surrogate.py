"""Of two gains the larger one is maximised."""

import pullback as torch
from pullback import nn

torch.manual_seed(0)
policy = nn.Linear(3, 2)
opt = torch.optim.SGD(policy.parameters(), lr=0.1)
s, a, adv = torch.randn(8, 3), torch.randint(0, 2, (8, 1)), torch.randn(8)
old = policy(s).log_softmax(-1).gather(1, a).squeeze(1).detach()
for _ in range(3):
    ratio = (policy(s).log_softmax(-1).gather(1, a).squeeze(1) - old).exp()
    kept = adv * torch.clamp(ratio, 0.8, 1.2)
    gain = torch.maximum(adv * ratio, kept).mean()  # <-- culprit
    loss = -gain
    opt.zero_grad()
    loss.backward()
    opt.step()
