import torch

torch.manual_seed(0)
pixels = torch.randint(0, 256, (40, 20)).float()
labels = torch.randint(0, 3, (40,))
W = (torch.randn(20, 3) * 0.2).requires_grad_()
b = torch.zeros(3, requires_grad=True)
opt = torch.optim.SGD([W, b], lr=1e-4)


def nll(scores, y):
    log_norm = scores.exp().sum(1).log()
    picked = scores.gather(1, y[:, None]).squeeze(1)
    return (log_norm - picked).mean()


for epoch in range(3):
    loss = nll(pixels @ W + b, labels)
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(epoch, loss.item())
