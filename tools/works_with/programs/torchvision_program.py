"""Transforms, made-up data, a ResNet that is trained, and models that segment; no compiled operations."""

import torch
from torch import nn
from torch.utils.data import DataLoader
from torchvision import datasets, models, tv_tensors
from torchvision.transforms import v2
from torchvision.utils import make_grid


def test_training_on_transformed_images():
    torch.manual_seed(0)
    transform = v2.Compose([
        v2.ToImage(), v2.RandomHorizontalFlip(), v2.Resize((32, 32), antialias=True),
        v2.ToDtype(torch.float32, scale=True), v2.Normalize([0.5] * 3, [0.25] * 3),
    ])  # fmt: skip
    data = datasets.FakeData(8, (3, 40, 40), num_classes=2, transform=transform)
    model = models.resnet18(num_classes=2)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    losses = []
    for _ in range(8):
        for images, labels in DataLoader(data, 8):
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(model(images), labels)
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
    assert min(losses[-2:]) < losses[0] / 2
    assert make_grid(images, nrow=4).shape == (3, 70, 138)


def test_boxes_follow_their_image():
    image = tv_tensors.Image(torch.zeros(3, 20, 40, dtype=torch.uint8))
    boxes = tv_tensors.BoundingBoxes([[0, 5, 10, 15]], format="XYXY", canvas_size=(20, 40))
    turned, moved = v2.functional.hflip(image), v2.functional.hflip(boxes)
    assert moved.tolist() == [[30, 5, 40, 15]]
    assert isinstance(turned, tv_tensors.Image)


def test_models():
    torch.manual_seed(0)
    for make in (models.mobilenet_v3_small, models.efficientnet_b0, models.vit_b_32):
        size = 224 if make is models.vit_b_32 else 64
        with torch.no_grad():
            assert make(num_classes=4).eval()(torch.randn(1, 3, size, size)).shape == (1, 4)
    segmenting = models.segmentation.lraspp_mobilenet_v3_large(
        weights=None, weights_backbone=None, num_classes=5
    )
    with torch.no_grad():
        assert segmenting.eval()(torch.randn(1, 3, 64, 64))["out"].shape == (1, 5, 64, 64)


if __name__ == "__main__":
    test_training_on_transformed_images()
    test_boxes_follow_their_image()
    test_models()
