"""A model that torch trained and saved goes on learning in pullback.

`digits_torch.pt` is the state dict of the LeNet of `digits.py` after two epochs under torch 2.13, written by
`torch.save` (made by tools/make_torch_checkpoint.py). It is loaded without torch, reads the held-out digits,
is trained for another epoch and saved again, in a file that torch can load:

    python -m pullback examples/torch_checkpoint.py
"""

import argparse
from pathlib import Path

import torch
from digits import HELD_OUT, LeNet, load, read, train

FILE = Path(__file__).with_name("digits_torch.pt")


def accuracy(model, images, labels):
    return (read(model, images) == labels).float().mean().item()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--epochs", type=int, default=1)
    parser.add_argument("--output", type=Path, help="where to save the model; by default nowhere")
    options = parser.parse_args()

    state = torch.load(FILE)
    for name, value in state.items():
        print(f"{name:14} {tuple(value.shape)!s:16} {value.dtype}")
    model = LeNet()
    print(model.load_state_dict(state))

    torch.manual_seed(0)
    images, labels = load()
    order = torch.randperm(len(images))
    held_out, rest = order[:HELD_OUT], order[HELD_OUT:]
    print(f"held-out accuracy as loaded {accuracy(model, images[held_out], labels[held_out]):.2%}")
    model.train()
    train(model, images[rest], labels[rest], options.epochs, None)
    print(f"held-out accuracy at the end {accuracy(model, images[held_out], labels[held_out]):.2%}")
    if options.output is not None:
        torch.save(model.state_dict(), options.output)
        print("wrote", options.output)


if __name__ == "__main__":
    main()
