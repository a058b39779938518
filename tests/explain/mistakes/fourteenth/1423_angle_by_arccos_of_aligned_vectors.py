import torch

torch.manual_seed(0)
normals = torch.nn.functional.normalize(torch.randn(10, 3), dim=1)
w = torch.eye(3).clone().requires_grad_()
opt = torch.optim.SGD([w], lr=0.05)


def angle(a, b):
    cos = (a * b).sum(-1) / (a.norm(dim=-1) * b.norm(dim=-1))
    return torch.acos(cos.clamp(-1, 1))


target = normals.clone()
target[5:] = torch.nn.functional.normalize(torch.randn(5, 3), dim=1)
target[:5] = torch.tensor([1.0, 0.0, 0.0])
normals[:5] = torch.tensor([1.0, 0.0, 0.0])
for step in range(4):
    loss = angle(normals @ w, target).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(loss.item())
