import pullback as torch

x = torch.linspace(-1, 1, 20)
y = 2 * torch.sin(3 * x)
wave = torch.tensor([1.0, 2.0], requires_grad=True)
optimizer = torch.optim.LBFGS([wave], lr=0.5, max_iter=3)


def closure():
    optimizer.zero_grad()
    loss = (wave[0] * torch.sin(wave[1] * x) - y).pow(2).mean()
    loss.backward()
    return loss


for _ in range(2):
    optimizer.step(closure)
