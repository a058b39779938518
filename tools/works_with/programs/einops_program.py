"""Patterns rearrange, reduce and pack tensors; layers of them stand in a model that is trained."""

import torch
from einops import einsum, pack, rearrange, reduce, repeat, unpack
from einops.layers.torch import EinMix, Rearrange, Reduce
from torch import nn


def test_patterns():
    x = torch.arange(2 * 3 * 4 * 6, dtype=torch.float32).reshape(2, 3, 4, 6).requires_grad_()
    patches = rearrange(x, "b c (h p) (w q) -> b (h w) (c p q)", p=2, q=2)
    assert patches.shape == (2, 6, 12)
    assert torch.equal(rearrange(patches, "b (h w) (c p q) -> b c (h p) (w q)", h=2, c=3, p=2), x)
    assert torch.equal(reduce(x, "b c h w -> b c", "max"), x.amax((2, 3)))
    assert torch.equal(repeat(x, "b c h w -> b (2 c) h w"), torch.cat([x, x], 1))
    product = einsum(x, x, "b c h w, b d h w -> b c d")
    torch.testing.assert_close(product, x.flatten(2) @ x.flatten(2).mT)
    packed, shapes = pack([x, x[:, 0]], "b * w")
    assert [part.shape for part in unpack(packed, shapes, "b * w")] == [x.shape, x[:, 0].shape]
    reduce(x, "b c h w -> b c", "mean").sum().backward()
    torch.testing.assert_close(x.grad, torch.full_like(x, 1 / 24))


def test_layers_in_training():
    torch.manual_seed(0)
    model = nn.Sequential(
        Rearrange("b c (h p) (w q) -> b (h w) (c p q)", p=4, q=4),
        EinMix("b t i -> b t o", weight_shape="i o", bias_shape="o", i=16, o=8),
        nn.GELU(),
        Reduce("b t o -> b o", "mean"),
        nn.Linear(8, 2),
    )
    images = torch.randn(32, 1, 8, 8)
    labels = (images.mean((1, 2, 3)) > 0).long()
    optimizer = torch.optim.Adam(model.parameters(), lr=0.05)
    losses = []
    for _ in range(60):
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(images), labels)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    assert losses[-1] < losses[0] / 2


if __name__ == "__main__":
    test_patterns()
    test_layers_in_training()
