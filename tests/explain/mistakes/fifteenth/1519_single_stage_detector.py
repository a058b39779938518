import torch
import torch.nn as nn


class SingleStageDetector(nn.Module):
    def __init__(self):
        super().__init__()
        self.backbone = nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), nn.ReLU(), nn.AdaptiveAvgPool2d(1))
        self.bbox_head = nn.Linear(8, 4)
        for v in self.backbone.parameters():
            v.requires_grad = False
        for v in self.bbox_head.parameters():
            v.requires_grad = False

    def forward(self, img):
        return self.bbox_head(self.backbone(img).flatten(1))


def runner_step(model, optimizer, img, gt):
    loss = nn.functional.l1_loss(model(img), gt)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.item()


torch.manual_seed(0)
model = SingleStageDetector()
optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
for it in range(3):
    print(runner_step(model, optimizer, torch.rand(2, 3, 16, 16), torch.rand(2, 4)))
