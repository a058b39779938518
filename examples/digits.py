"""A LeNet learns to read the 1,797 scanned digits that come with scikit-learn.

Trains on four fifths of them, prints how many of the held-out fifth it reads right, and draws the loss curve
and the confusion matrix:

    python -m pullback examples/digits.py

With `--checkpoint digits.pt` everything that the training depends on is saved after each epoch, and training
that was stopped goes on from there to the same end. torch and pullback read each other's files.
"""

import argparse
from pathlib import Path

import matplotlib
import numpy as np
import torch
import torch.nn.functional as F
from learning_curves import draw_losses
from sklearn.datasets import load_digits
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
from tqdm import tqdm

matplotlib.use("Agg")
import matplotlib.pyplot as plt

HELD_OUT = 360
BATCH = 32
SCALE, MARGIN = 3, 4  # 3 · 8 + 2 · 4 = 32


class LeNet(nn.Module):
    """LeNet-5 with ReLU and max pooling, for images of 32 × 32."""

    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 6, 5)
        self.conv2 = nn.Conv2d(6, 16, 5)
        self.fc1 = nn.Linear(16 * 5 * 5, 120)
        self.fc2 = nn.Linear(120, 84)
        self.fc3 = nn.Linear(84, 10)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.conv1(x)), 2)
        x = F.max_pool2d(F.relu(self.conv2(x)), 2)
        x = x.flatten(1)
        x = F.relu(self.fc1(x))
        x = F.relu(self.fc2(x))
        return self.fc3(x)


def load():
    """Images with each pixel drawn as 3 × 3 in the middle of LeNet's 32 × 32; labels."""
    digits = load_digits()
    images = np.kron(digits.images / 16, np.ones((SCALE, SCALE)))
    images = np.pad(images, ((0, 0), (MARGIN, MARGIN), (MARGIN, MARGIN)))
    images = (images - images.mean()) / images.std()
    return torch.tensor(images, dtype=torch.float32).unsqueeze(1), torch.tensor(digits.target)


def train(model, images, labels, epochs, checkpoint):
    """Adam on the cross entropy of shuffled batches, each moved by up to one scanned pixel.

    The step size falls linearly. Returns the loss of every step.
    """
    batches = DataLoader(TensorDataset(images, labels), batch_size=BATCH, shuffle=True)
    steps = epochs * len(batches)
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    schedule = torch.optim.lr_scheduler.LinearLR(optimizer, 1.0, 0.0, total_iters=steps)
    loss_function = nn.CrossEntropyLoss()
    done, losses = 0, []
    if checkpoint is not None and checkpoint.exists():
        state = torch.load(checkpoint)
        model.load_state_dict(state["model"])
        optimizer.load_state_dict(state["optimizer"])
        schedule.load_state_dict(state["schedule"])
        torch.set_rng_state(state["random"])
        done, losses = state["epochs"], state["losses"]
        print(f"going on after epoch {done}")
    with tqdm(total=steps, initial=len(losses), desc="training", unit="step") as bar:
        for epoch in range(done, epochs):
            for inputs, targets in batches:
                shift = torch.randint(-SCALE, SCALE + 1, (2,)).tolist()
                moved = torch.roll(inputs, shift, dims=(2, 3))
                optimizer.zero_grad()
                loss = loss_function(model(moved), targets)
                loss.backward()
                optimizer.step()
                schedule.step()
                losses.append(loss.item())
                bar.set_postfix(loss=f"{losses[-1]:.4f}", refresh=False)
                bar.update()
            if checkpoint is not None:
                state = {
                    "model": model.state_dict(),
                    "optimizer": optimizer.state_dict(),
                    "schedule": schedule.state_dict(),
                    "random": torch.get_rng_state(),
                    "epochs": epoch + 1,
                    "losses": losses,
                }
                torch.save(state, checkpoint)
    return losses


def read(model, images):
    model.eval()
    with torch.no_grad():
        return model(images).argmax(1)


def draw(losses, truth, reading, path):
    confusion = np.zeros((10, 10), dtype=int)
    np.add.at(confusion, (truth.numpy(), reading.numpy()), 1)
    figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4.6), layout="constrained")
    draw_losses(left, losses)
    left.set_ylabel("cross entropy")
    right.imshow(np.sqrt(confusion), cmap="Blues")
    for row, column in np.ndindex(10, 10):
        if confusion[row, column]:
            colour = "white" if row == column else "black"
            right.text(column, row, confusion[row, column], ha="center", va="center", color=colour)
    right.set(xlabel="read as", ylabel="digit", xticks=range(10), yticks=range(10))
    right.set_title(f"{confusion.trace()} of {confusion.sum()} held-out digits read right")
    figure.savefig(path, dpi=120)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--epochs", type=int, default=30)
    parser.add_argument("--output", type=Path, default=Path(__file__).with_suffix(".png"))
    parser.add_argument("--checkpoint", type=Path, help="a file to go on from and to save to")
    options = parser.parse_args()

    torch.manual_seed(0)
    images, labels = load()
    order = torch.randperm(len(images))
    held_out, rest = order[:HELD_OUT], order[HELD_OUT:]
    model = LeNet()
    losses = train(model, images[rest], labels[rest], options.epochs, options.checkpoint)
    reading = read(model, images[held_out])
    accuracy = (reading == labels[held_out]).float().mean().item()
    print(f"first loss {losses[0]:.4f}, last loss {losses[-1]:.4f}")
    print(f"held-out accuracy {accuracy:.2%} of {HELD_OUT}")
    draw(losses, labels[held_out], reading, options.output)
    print("wrote", options.output)


if __name__ == "__main__":
    main()
