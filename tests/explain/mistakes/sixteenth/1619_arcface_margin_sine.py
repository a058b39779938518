import math
import torch
import torch.nn as nn
import torch.nn.functional as F


class ArcMarginProduct(nn.Module):
    def __init__(self, d, classes, s=30.0, m=0.5):
        super().__init__()
        self.s, self.m = s, m
        self.weight = nn.Parameter(torch.eye(classes, d))

    def forward(self, feat, label):
        cosine = F.linear(F.normalize(feat), F.normalize(self.weight))
        sine = torch.sqrt((1.0 - torch.pow(cosine, 2)).clamp(0, 1))
        phi = cosine * math.cos(self.m) - sine * math.sin(self.m)
        one_hot = F.one_hot(label, cosine.size(1)).float()
        return self.s * (one_hot * phi + (1 - one_hot) * cosine)


torch.manual_seed(0)
body = nn.Linear(6, 6)
fc = ArcMarginProduct(6, 4)
opt = torch.optim.SGD(list(body.parameters()) + list(fc.parameters()), lr=0.1)
nn.init.eye_(body.weight)
nn.init.zeros_(body.bias)
x = torch.eye(6)[torch.randint(0, 4, (16,))] * 2.0
label = x.argmax(1)
for it in range(3):
    loss = F.cross_entropy(fc(torch.relu(body(x)), label), label)
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(it, loss.item())
