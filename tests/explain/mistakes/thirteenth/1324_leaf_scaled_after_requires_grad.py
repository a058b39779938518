import torch

torch.manual_seed(0)
X = torch.randn(100, 3)
y = (X ** 2).sum(1, keepdim=True)

w1 = torch.randn(3, 16, requires_grad=True)
b1 = torch.zeros(16, requires_grad=True)
w2 = torch.randn(16, 1, requires_grad=True) * 0.1
b2 = torch.zeros(1, requires_grad=True)
optimizer = torch.optim.Adam([w1, b1, w2, b2], lr=0.01)

for t in range(50):
    pred = torch.relu(X @ w1 + b1) @ w2 + b2
    loss = (pred - y).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
