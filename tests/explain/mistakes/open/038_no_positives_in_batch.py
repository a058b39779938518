import torch
import torch.nn as nn
import torch.nn.functional as F


class Detector(nn.Module):
    def __init__(self):
        super().__init__()
        self.box = nn.Linear(5, 4)
        self.score = nn.Linear(5, 1)

    def forward(self, x):
        return self.box(x), self.score(x).squeeze(-1)


def detection_loss(boxes, scores, target_boxes, labels):
    positive = labels > 0
    box_loss = F.smooth_l1_loss(boxes[positive], target_boxes[positive])
    score_loss = F.binary_cross_entropy_with_logits(scores, labels.float())
    return score_loss + box_loss


torch.manual_seed(0)
model = Detector()
batches = [torch.tensor([0, 1, 0, 1]), torch.tensor([0, 0, 0, 0])]
for labels in batches:
    model.zero_grad()
    loss = detection_loss(*model(torch.randn(4, 5)), torch.randn(4, 4), labels)
    loss.backward()
    print(loss.item(), model.box.weight.grad.norm().item())
