"""A training loop prepared by Accelerator: gradients gathered over batches, clipped, and its state saved."""

import tempfile

import torch
from accelerate import Accelerator
from accelerate.utils import set_seed
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def train(folder, steps):
    set_seed(0)
    accelerator = Accelerator(cpu=True, gradient_accumulation_steps=2)
    x = torch.randn(64, 4)
    data = TensorDataset(x, x @ torch.tensor([[1.0], [-2.0], [0.5], [3.0]]))
    model = nn.Linear(4, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    schedule = torch.optim.lr_scheduler.StepLR(optimizer, 50)
    loader = DataLoader(data, batch_size=8, shuffle=True)
    model, optimizer, loader, schedule = accelerator.prepare(model, optimizer, loader, schedule)
    losses = []
    for _ in range(steps):
        for inputs, targets in loader:
            with accelerator.accumulate(model):
                loss = nn.functional.mse_loss(model(inputs), targets)
                accelerator.backward(loss)
                if accelerator.sync_gradients:
                    accelerator.clip_grad_norm_(model.parameters(), 5.0)
                optimizer.step()
                schedule.step()
                optimizer.zero_grad()
            losses.append(accelerator.gather_for_metrics(loss.detach().reshape(1)).item())
    accelerator.save_state(folder)
    trained = {name: value.clone() for name, value in model.state_dict().items()}
    with torch.no_grad():
        model.weight.zero_()
    accelerator.load_state(folder)
    for name, value in model.state_dict().items():
        assert torch.equal(value, trained[name])
    return losses


def test_a_loop():
    with tempfile.TemporaryDirectory() as folder:
        losses = train(folder, 15)
    assert losses[-1] < 1e-2 < losses[0]


if __name__ == "__main__":
    test_a_loop()
