import torch

torch.manual_seed(0)
params = {
    "hidden": torch.randn(2, 8, requires_grad=True),
    "out": torch.randn(8, 1, requires_grad=True),
}


def net(x):
    return torch.tanh(x @ params["hidden"]) @ params["out"]


x = torch.randn(50, 2)
y = x.prod(1, keepdim=True)
for epoch in range(3):
    loss = ((net(x) - y) ** 2).mean()
    grads = torch.autograd.grad(loss, list(params.values()))
    with torch.no_grad():
        for (name, p), g in zip(list(params.items()), grads):
            params[name] = p - 0.1 * g
