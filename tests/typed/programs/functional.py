"""torch.nn.functional."""

from typing import assert_type

import torch
import torch.nn.functional as F
from torch import Tensor

image = torch.randn(1, 3, 8, 8)
logits, labels = torch.randn(4, 5), torch.tensor([0, 1, 2, 3])
assert_type(F.cross_entropy(logits, labels, label_smoothing=0.1), Tensor)
assert_type(F.softmax(logits, dim=-1), Tensor)
assert_type(F.max_pool2d(image, 2), Tensor)
assert_type(F.max_pool2d(image, 2, return_indices=True), tuple[Tensor, Tensor])
assert_type(F.conv2d(image, torch.randn(2, 3, 3, 3), padding=1), Tensor)
assert_type(F.interpolate(image, scale_factor=2.0, mode="nearest"), Tensor)
assert_type(F.pad(image, (1, 1)), Tensor)
assert_type(F.one_hot(labels, 5), Tensor)
assert_type(F.dropout(logits, p=0.5, training=False), Tensor)
assert_type(F.scaled_dot_product_attention(image, image, image), Tensor)
assert_type(F.normalize(logits), Tensor)


def wrong() -> None:
    F.relux(logits)  # type: ignore[attr-defined]
    F.softmax()  # type: ignore[call-arg]
