import torch
import torch.nn as nn
import torch.nn.functional as F

class Heads(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.score, self.position, self.angle = nn.Linear(c, 1), nn.Linear(c, 3), nn.Linear(c, 2)

    def forward(self, f):
        return {"score": self.score(f), "position": self.position(f), "angle": self.angle(f)}


def compute_loss(pred, gt):
    losses = {
        "score": F.binary_cross_entropy_with_logits(pred["score"], gt["score"]),
        "position": F.l1_loss(pred["position"], gt["position"]),
        "angle": F.l1_loss(pred["angle"], gt["angle"]),
    }
    total = sum(losses.values())
    total = losses["score"]
    return total, losses


torch.manual_seed(0)
model = Heads(16)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
f = torch.randn(64, 16)
gt = {"score": (f[:, :1] > 0).float(), "position": f[:, 1:4] * 3, "angle": f[:, 4:6]}
for epoch in range(20):
    total, losses = compute_loss(model(f), gt)
    optimizer.zero_grad()
    total.backward()
    optimizer.step()
    print(epoch, {k: round(v.item(), 3) for k, v in losses.items()})
