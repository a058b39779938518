"""Learning curves: the loss of each step, its running mean, and that of held-out data where it was looked at.

Other programs import `draw_losses`. By itself this one fits a line with noise and draws how that went:

    python -m pullback examples/learning_curves.py
"""

import argparse
from pathlib import Path

import matplotlib
import numpy as np
import torch

matplotlib.use("Agg")
import matplotlib.pyplot as plt


def draw_losses(axes, losses, held_out=None, window=45):
    """Draw into matplotlib's axes: `losses` of each step, `held_out` as {step: loss}."""
    axes.semilogy(losses, linewidth=0.6, alpha=0.5, label="each batch")
    window = max(1, min(window, len(losses) // 2))
    running = np.convolve(losses, np.ones(window) / window, "valid")
    axes.semilogy(np.arange(window - 1, len(losses)), running, label=f"mean of {window}")
    if held_out:
        axes.semilogy(*zip(*sorted(held_out.items())), "o-", label="held out")
    axes.set(xlabel="step", ylabel="loss", title="loss of each batch, and its running mean")
    axes.legend()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--output", type=Path, default=Path(__file__).with_suffix(".png"))
    options = parser.parse_args()

    torch.manual_seed(0)
    x = torch.randn(400, 3)
    y = x @ torch.tensor([1.0, -2.0, 0.5]) + 0.1 * torch.randn(400)
    weights = torch.zeros(3, requires_grad=True)
    losses, held_out = [], {}
    for step in range(200):
        batch = torch.randint(300, (16,))
        loss = (x[batch] @ weights - y[batch]).square().mean()
        (gradient,) = torch.autograd.grad(loss, weights)
        with torch.no_grad():
            weights -= 0.02 * gradient
            if step % 20 == 19:
                held_out[step] = (x[300:] @ weights - y[300:]).square().mean().item()
        losses.append(loss.item())

    figure, axes = plt.subplots(layout="constrained")
    draw_losses(axes, losses, held_out, window=10)
    figure.savefig(options.output, dpi=120)
    print(f"first loss {losses[0]:.4f}, last loss {losses[-1]:.4f}, of held-out data {held_out[199]:.4f}")


if __name__ == "__main__":
    main()
