import torch
import torch.nn as nn


class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.class_embedding = nn.Parameter(torch.zeros(1, 6))
        self.backbone = nn.Linear(4, 6)
        self.norm = nn.LayerNorm(6)
        self.classifier = nn.Linear(6, 3)

    def forward(self, x):
        return self.classifier(self.norm(self.backbone(x) + self.class_embedding))


def freeze(model, patterns):
    for name, parameter in model.named_parameters():
        if any(pattern in name for pattern in patterns):
            parameter.requires_grad = False


torch.manual_seed(0)
model = Classifier()
freeze(model, ["backbone", "class"])
optimizer = torch.optim.SGD([p for p in model.parameters() if p.requires_grad], lr=0.1)
x, y = torch.randn(10, 4), torch.randint(0, 3, (10,))
for _ in range(3):
    loss = nn.functional.cross_entropy(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(loss.item(), model.classifier.weight.grad)
