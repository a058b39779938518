import torch

torch.manual_seed(0)
x = torch.linspace(-1, 1, 30)
y = 2 * torch.sin(3 * x) + 0.5
amplitude = torch.tensor(1.0, requires_grad=True)
frequency = torch.tensor(2.0, requires_grad=True)
optimizer = torch.optim.LBFGS([amplitude, frequency], lr=0.1)
calls = 0


def closure():
    global calls
    calls += 1
    loss = (amplitude * torch.sin(frequency * x) - y).pow(2).mean()
    loss.backward()
    return loss


for _ in range(4):
    optimizer.step(closure)
print(amplitude.item(), frequency.item())
