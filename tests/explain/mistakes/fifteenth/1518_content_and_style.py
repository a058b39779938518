import torch

torch.manual_seed(0)
content = torch.rand(3, 8, 8)
style = torch.rand(3, 8, 8)
image = content.clone().requires_grad_(True)
optimizer = torch.optim.Adam([image], lr=0.05)


def gram(t):
    f = t.view(3, -1)
    return f @ f.t() / f.numel()


for step in range(5):
    optimizer.zero_grad()
    content_loss = ((image - content) ** 2).mean()
    style_loss = ((gram(image) - gram(style)) ** 2).mean()
    total = content_loss.item() + 100 * style_loss.item()
    total.backward()
    optimizer.step()
    print(step, total)
