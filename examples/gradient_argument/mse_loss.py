"""From outputs to a loss: the loss is one number, so its covector is 1 and may be left out.

What it sends back to the outputs is their covector: out.backward(v) with that v leaves the same gradients.

    loss = mean (out - target)²:   v = ∂loss/∂out = 2/10 · (out - target)
"""

import numpy as np
import torch

torch.manual_seed(0)
net = torch.nn.Linear(4, 10)
x, target = torch.randn(1, 4), torch.randn(1, 10)

out = net(x)
loss = torch.nn.functional.mse_loss(out, target)
loss.backward()
through_loss = net.weight.grad.clone()

net.zero_grad()
out = net(x)
gradient = (2 / 10 * (out - target)).detach()
out.backward(gradient)

# By the weights, a row for each output, J is 10 × 40: xᵀ once for each output.
J = np.kron(np.eye(10), x.numpy())
v = gradient.numpy().ravel()
print("J:     ", J.shape)
print("v:     ", v.round(4))
print("vᵀ·J:", (v @ J).reshape(10, 4).round(4)[:2], "…", sep="\n")
print("weight.grad by out.backward(v):", net.weight.grad.numpy().round(4)[:2], "…", sep="\n")
print("weight.grad by loss.backward():", through_loss.numpy().round(4)[:2], "…", sep="\n")
print("vᵀ·J equal:", np.allclose(v @ J, net.weight.grad.numpy().ravel(), atol=1e-6))
print("loss.backward() equal:", torch.allclose(net.weight.grad, through_loss))
