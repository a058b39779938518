import torch
import torch.nn.functional as F

words = ["emma", "olivia", "ava", "isabella"]
chars = ["."] + sorted(set("".join(words)))
stoi = {s: i for i, s in enumerate(chars)}
xs, ys = [], []
for w in words:
    chs = ["."] + list(w) + ["."]
    for a, b in zip(chs, chs[1:]):
        xs.append(stoi[a])
        ys.append(stoi[b])
xs, ys = torch.tensor(xs), torch.tensor(ys)
torch.manual_seed(2147483647)
W = torch.randn((len(chars), len(chars)), requires_grad=True)

xenc = F.one_hot(xs, num_classes=len(chars)).float()
logits = xenc @ W
counts = logits.exp()
prob = counts / counts.sum(1, keepdim=True)
loss = -prob[torch.arange(len(ys)), ys].log().mean()

for k in range(20):
    W.grad = None
    loss.backward()
    W.data += -0.1 * W.grad
    print(loss.item())
