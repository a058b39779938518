import torch
import torch.nn.functional as F

torch.manual_seed(0)
x = torch.randn(40, 4)
y = (x[:, 0] > 0).float()
w = torch.zeros(4, requires_grad=True)
bias = torch.zeros(1, requires_grad=True)


def predict(inputs):
    return inputs @ w + bias


for it in range(5):
    loss = F.binary_cross_entropy_with_logits(predict(x), y)
    loss.backward()
    w = w - 0.5 * w.grad
    bias = bias - 0.5 * bias.grad
