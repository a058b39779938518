import torch


def rosenbrock(t):
    x, y = t
    return (1 - x) ** 2 + 100 * (y - x * x) ** 2


theta = torch.tensor([-1.0, 2.0], requires_grad=True)
velocity = torch.zeros(2)
for k in range(200):
    value = rosenbrock(theta)
    value.backward()
    velocity = 0.9 * velocity + theta.grad
    theta -= 1e-4 * velocity
    theta.grad = None
print(theta)
