import torch

torch.manual_seed(0)
t = torch.linspace(0, 4, 60)
data = 2.0 * torch.exp(-0.7 * t) + 0.05 * torch.randn(60)
params = torch.tensor([1.0, 0.1], requires_grad=True)


def misfit():
    a, k = params
    return (a * torch.exp(-k * t) - data).pow(2).sum()


opt = torch.optim.LBFGS([params], lr=0.5)
for it in range(10):
    loss = misfit()
    opt.zero_grad()
    loss.backward()
    opt.step()
print(params.tolist())
