import torch

torch.manual_seed(0)
cte1 = torch.rand(5, 3).double()
cte2 = torch.rand(5, 5).double()
goal = torch.rand(5, 5).double()
tensor = torch.ones(3, 5, requires_grad=True).double()
lr = 0.1
losses = []
for i in range(5):
    output = cte1 @ tensor + cte2
    loss = ((output - goal) ** 2).mean()
    loss.backward()
    with torch.no_grad():
        if tensor.grad is not None:
            tensor -= lr * tensor.grad
            tensor.grad.zero_()
    losses.append(loss.item())
    print("iteration", i, "loss", loss.item(), "grad", tensor.grad)
