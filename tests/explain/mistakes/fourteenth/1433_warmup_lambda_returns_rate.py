import torch
from torch import nn

LR = 3e-3
torch.manual_seed(0)
layer = nn.TransformerEncoderLayer(16, 2, 32, dropout=0.0, batch_first=True)
head = nn.Linear(16, 4)
opt = torch.optim.AdamW([*layer.parameters(), *head.parameters()], lr=LR)


def warmup(step):
    return LR * min(1.0, (step + 1) / 10)


sched = torch.optim.lr_scheduler.LambdaLR(opt, warmup)
x = torch.randn(16, 6, 16)
y = x[:, :, :4].mean(1).argmax(1)
for step in range(25):
    loss = nn.functional.cross_entropy(head(layer(x).mean(1)), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    sched.step()
print(loss.item(), opt.param_groups[0]['lr'])
