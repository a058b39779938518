"""The gradient of an operation on an image of 720 × 720 pixels.

An image has no gradient of its own; an operation on it does. Here the operation finds upright edges with a
Sobel kernel and squares them, y = (K∗A)², so y is an image again and backward() needs a covector of its
shape. The covector is not made of random numbers: it says which output pixels count, here those of the lower
right quarter.

    J = diag(2·(K∗A))·K:   vᵀ·J = Kᵀ∗(2·v·(K∗A)), a convolution with the kernel turned round
"""

import numpy as np
import torch
import torch.nn.functional as F

SIZE = 720
KERNEL = np.array([[-1.0, 0.0, 1.0], [-2.0, 0.0, 2.0], [-1.0, 0.0, 1.0]], dtype=np.float32)


def slide(image, kernel):
    """Add up kernel[i, j] times the image moved by (i - 1, j - 1), with zeros round the image."""
    padded = np.pad(image, 1)
    return sum(kernel[i, j] * padded[i : i + SIZE, j : j + SIZE] for i in range(3) for j in range(3))


# A bright disc on a ramp.
row, column = np.mgrid[0:SIZE, 0:SIZE] / SIZE
picture = (0.3 * column + 0.6 * ((row - 0.5) ** 2 + (column - 0.5) ** 2 < 0.09)).astype(np.float32)

A = torch.tensor(picture, requires_grad=True)
edges = F.conv2d(A[None, None], torch.from_numpy(KERNEL)[None, None], padding=1)[0, 0]
y = edges**2
gradient = torch.zeros(SIZE, SIZE)
gradient[SIZE // 2 :, SIZE // 2 :] = 1
y.backward(gradient)

v = gradient.numpy()
pulled = slide(2 * v * slide(picture, KERNEL), KERNEL[::-1, ::-1])
pixels = slice(SIZE // 2, SIZE // 2 + 2), slice(570, 578)
print("y:     ", tuple(y.shape))
print("J:      one row for each of", y.numel(), "output pixels, nine entries in each row at most")
print("v:     ", v.shape, "with", int(v.sum()), "pixels that count")
print("vᵀ·J at the rim of the disc:", pulled[pixels].round(3), sep="\n")
print("A.grad at the rim of the disc:", A.grad[pixels].numpy().round(3), sep="\n")
print("equal everywhere:", np.allclose(pulled, A.grad.numpy(), atol=1e-4))
print("zero where nothing counts:", not A.grad[: SIZE // 2 - 1].any().item())
