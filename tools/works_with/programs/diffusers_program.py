"""A small UNet learns to predict noise, a pipeline draws images with it, and both are saved and loaded."""

import tempfile

import torch
from diffusers import AutoencoderKL, DDIMScheduler, DDPMPipeline, DDPMScheduler, UNet2DModel


def small_unet():
    return UNet2DModel(
        sample_size=8, in_channels=1, out_channels=1, layers_per_block=1, block_out_channels=(16, 32),
        down_block_types=("DownBlock2D", "AttnDownBlock2D"), up_block_types=("AttnUpBlock2D", "UpBlock2D"),
        norm_num_groups=4,
    )  # fmt: skip


def test_noise_is_learned_and_images_are_drawn():
    torch.manual_seed(0)
    model, schedule = small_unet(), DDPMScheduler(num_train_timesteps=50)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    images = torch.ones(16, 1, 8, 8)
    losses = []
    for _ in range(25):
        noise, times = torch.randn_like(images), torch.randint(0, 50, (16,))
        seen = schedule.add_noise(images, noise, times)
        loss = torch.nn.functional.mse_loss(model(seen, times).sample, noise)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    assert sum(losses[-5:]) < sum(losses[:5]) / 2
    pipeline = DDPMPipeline(model, schedule)
    pipeline.set_progress_bar_config(disable=True)
    with tempfile.TemporaryDirectory() as folder:
        pipeline.save_pretrained(folder)
        again = DDPMPipeline.from_pretrained(folder)
    again.set_progress_bar_config(disable=True)
    drawn = [
        p(batch_size=2, num_inference_steps=5, output_type="np", generator=torch.Generator().manual_seed(1))
        for p in (pipeline, again)
    ]
    assert (drawn[0].images == drawn[1].images).all()


def test_other_parts():
    torch.manual_seed(0)
    schedule = DDIMScheduler(num_train_timesteps=50)
    schedule.set_timesteps(5)
    x = torch.randn(1, 1, 8, 8)
    model = small_unet().eval()
    with torch.no_grad():
        for t in schedule.timesteps:
            x = schedule.step(model(x, t).sample, t, x).prev_sample
    assert x.isfinite().all()
    coder = AutoencoderKL(block_out_channels=(8,), norm_num_groups=4, latent_channels=2).eval()
    with torch.no_grad():
        hidden = coder.encode(torch.randn(1, 3, 16, 16)).latent_dist.mode()
        assert coder.decode(hidden).sample.shape == (1, 3, 16, 16)


if __name__ == "__main__":
    test_noise_is_learned_and_images_are_drawn()
    test_other_parts()
