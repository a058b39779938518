"""A small network learns the scanned digits of scikit-learn in several processes that share the work.

Each process takes its part of every batch, and gradients are averaged over all of them, so that they do the
same steps as one process with the whole batch would. One command starts two processes:

    python -m pullback.distributed.run --nproc-per-node 2 examples/ddp.py

`python -m pullback examples/ddp.py` does the same in one, and torchrun in torch.
"""

import argparse
import os

import torch
import torch.distributed as dist
import torch.nn.functional as F
from sklearn.datasets import load_digits
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

HELD_OUT = 360
BATCH = 64  # of all processes together


def begin():
    """Join the processes of the launcher; without one, be the only process."""
    if "RANK" in os.environ:
        dist.init_process_group("gloo")
    else:
        dist.init_process_group("gloo", rank=0, world_size=1, store=dist.HashStore())


def load():
    """Training set and held-out set: images of 64 pixels from -1 to 1, and labels."""
    digits = load_digits()
    images = torch.tensor(digits.data, dtype=torch.float32) / 8 - 1
    labels = torch.tensor(digits.target)
    order = torch.randperm(len(images), generator=torch.Generator().manual_seed(0))
    held_out, rest = order[:HELD_OUT], order[HELD_OUT:]
    return TensorDataset(images[rest], labels[rest]), TensorDataset(images[held_out], labels[held_out])


def train(model, data, epochs):
    """Train with AdamW; return the mean loss of each epoch over all processes."""
    sampler = DistributedSampler(data, seed=0)
    batches = DataLoader(data, batch_size=BATCH // dist.get_world_size(), sampler=sampler)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    means = []
    for epoch in range(epochs):
        sampler.set_epoch(epoch)  # another order, the same in all processes
        total = torch.zeros(2)
        for images, labels in batches:
            optimizer.zero_grad()
            loss = F.cross_entropy(model(images), labels)
            loss.backward()
            optimizer.step()
            total += torch.tensor([loss.item() * len(labels), len(labels)])
        dist.all_reduce(total)
        means.append((total[0] / total[1]).item())
        if dist.get_rank() == 0:
            print(f"epoch {epoch + 1}: loss {means[-1]:.4f}", flush=True)
    return means


def accuracy(model, data):
    """The part of a data set that is read right; each process looks at its share."""
    images, labels = data.tensors
    mine = slice(dist.get_rank(), None, dist.get_world_size())
    with torch.no_grad():
        right = (model(images[mine]).argmax(1) == labels[mine]).sum()
    dist.all_reduce(right)
    return right.item() / len(labels)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--epochs", type=int, default=10)
    options = parser.parse_args()
    begin()
    torch.manual_seed(0)
    model = DistributedDataParallel(nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 10)))
    data, held_out = load()
    losses = train(model, data, options.epochs)
    read = accuracy(model.module, held_out)
    if dist.get_rank() == 0:
        print(f"{dist.get_world_size()} processes, first loss {losses[0]:.4f}, last loss {losses[-1]:.4f}")
        print(f"held-out accuracy {read:.2%} of {HELD_OUT}")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
