import torch
import torch.nn as nn


class OptimWrapper:
    def __init__(self, optimizer):
        self.optimizer = optimizer

    def update_params(self, loss):
        loss.backward()
        self.optimizer.step()
        self.optimizer.zero_grad()


class Detector(nn.Module):
    def __init__(self):
        super().__init__()
        self.backbone = nn.Conv2d(3, 8, 3, padding=1)
        self.bbox_head = nn.Linear(8, 4)

    def train_step(self, img, boxes, optim_wrapper):
        feat = torch.relu(self.backbone(img)).mean((2, 3))
        loss = nn.functional.smooth_l1_loss(self.bbox_head(feat), boxes)
        optim_wrapper.update_params(loss)
        return {name: p.grad for name, p in self.named_parameters()}


torch.manual_seed(0)
model = Detector()
wrapper = OptimWrapper(torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9))
seen = []
for it in range(3):
    logs = model.train_step(torch.randn(2, 3, 8, 8), torch.rand(2, 4), wrapper)
    seen += list(logs.values())
    print({k: None if g is None else g.norm() for k, g in logs.items()})
