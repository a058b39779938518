"""A ResNet and a vision transformer run and are trained by timm's optimizers; features come from stages."""

import timm
import torch
from timm.data import create_transform, resolve_model_data_config
from timm.loss import LabelSmoothingCrossEntropy
from timm.optim import create_optimizer_v2
from timm.scheduler import CosineLRScheduler
from timm.utils import ModelEmaV3


def test_training():
    torch.manual_seed(0)
    model = timm.create_model("vit_tiny_patch16_224", img_size=32, patch_size=8, num_classes=3, depth=2)
    optimizer = create_optimizer_v2(model, opt="adamw", lr=1e-3, weight_decay=0.05)
    schedule = CosineLRScheduler(optimizer, t_initial=15, warmup_t=2, warmup_lr_init=1e-4)
    averaged = ModelEmaV3(model, decay=0.5)
    images, labels = torch.randn(12, 3, 32, 32), torch.arange(12) % 3
    criterion = LabelSmoothingCrossEntropy(0.1)
    losses = []
    for step in range(15):
        optimizer.zero_grad()
        loss = criterion(model(images), labels)
        loss.backward()
        optimizer.step()
        averaged.update(model)
        schedule.step(step)
        losses.append(loss.item())
    assert losses[-1] < losses[0] / 2
    averaged.eval()
    assert (averaged(images).argmax(1) == labels).float().mean() > 0.9


def test_models_and_stages():
    torch.manual_seed(0)
    for name in ("resnet18", "mobilenetv3_small_050", "convnext_atto"):
        model = timm.create_model(name, num_classes=5).eval()
        with torch.no_grad():
            assert model(torch.randn(1, 3, 64, 64)).shape == (1, 5)
    stages = timm.create_model("resnet18", features_only=True).eval()
    shapes = [tuple(stage.shape[1:]) for stage in stages(torch.randn(1, 3, 64, 64))]
    assert shapes == [(64, 32, 32), (64, 16, 16), (128, 8, 8), (256, 4, 4), (512, 2, 2)]
    transform = create_transform(**resolve_model_data_config(model))
    from PIL import Image

    assert transform(Image.new("RGB", (300, 200))).shape[0] == 3


if __name__ == "__main__":
    test_training()
    test_models_and_stages()
