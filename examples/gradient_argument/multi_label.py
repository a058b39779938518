"""Several labels may hold at once: a loss for each class, and a covector that weighs the classes.

With logits z = W·x, the loss of class k is the binary cross entropy of σ(z_k) with its label t_k, and
∂loss_k/∂z_k = σ(z_k) - t_k.
"""

import numpy as np
import torch
import torch.nn.functional as F

torch.manual_seed(0)
classes, features = 4, 3
W = torch.randn(classes, features, requires_grad=True)
x = torch.randn(features)
labels = torch.tensor([1.0, 0.0, 1.0, 0.0])
class_weights = torch.tensor([1.0, 0.5, 2.0, 10.0])

logits = W @ x
loss = F.binary_cross_entropy_with_logits(logits, labels, reduction="none")
loss.backward(gradient=class_weights)

# Class k depends on row k of W only: row k of J, as wide as W, holds (σ(z_k) - t_k)·xᵀ in the place of that
# row.
z = logits.detach().numpy()
slope = 1 / (1 + np.exp(-z)) - labels.numpy()
J = np.zeros((classes, classes, features))
for k in range(classes):
    J[k, k] = slope[k] * x.numpy()
J = J.reshape(classes, classes * features)
v = class_weights.numpy()
print("loss:  ", loss)
print("J:", J.round(3), sep="\n")
print("v:     ", v)
print("vᵀ·J:", (v @ J).reshape(classes, features).round(4), sep="\n")
print("W.grad:", W.grad, sep="\n")

# A weighted sum of the losses is the same in other words.
again = W.detach().clone().requires_grad_()
(F.binary_cross_entropy_with_logits(again @ x, labels, reduction="none") * class_weights).sum().backward()
print("equal to the weighted sum's:", torch.allclose(W.grad, again.grad))
print("equal to vᵀ·J:", np.allclose((v @ J).reshape(classes, features), W.grad.numpy(), atol=1e-6))
