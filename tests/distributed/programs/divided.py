"""A small transformer block whose layers are divided among two processes, beside the whole one."""

import torch
import torch.distributed as dist
import torch.nn.functional as F
from told import tell
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor import DTensor, Partial, Replicate, Shard, distribute_tensor
from torch.distributed.tensor.experimental import implicit_replication
from torch.distributed.tensor.parallel import (
    ColwiseParallel,
    PrepareModuleInput,
    PrepareModuleOutput,
    RowwiseParallel,
    SequenceParallel,
    loss_parallel,
    parallelize_module,
)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(9, 8)
        self.blocks = nn.ModuleList(
            [nn.ModuleDict({"up": nn.Linear(8, 12), "down": nn.Linear(12, 8)}) for _ in range(2)]
        )
        self.head = nn.Linear(8, 9, bias=False)

    def forward(self, x):
        x = self.embed(x)
        for block in self.blocks:
            x = x + block["down"](F.gelu(block["up"](x)))
        return self.head(x)


def losses(net, steps=4):
    optimizer = torch.optim.AdamW(net.parameters(), lr=0.05, foreach=False)
    generator = torch.Generator().manual_seed(5)
    found = []
    for _ in range(steps):
        x = torch.randint(0, 9, (3, 4), generator=generator)
        optimizer.zero_grad()
        loss = F.cross_entropy(net(x).flatten(0, 1), x.flatten())
        loss.backward()
        optimizer.step()
        found.append(loss.item())
    return found


def main():
    dist.init_process_group("gloo")
    mesh = init_device_mesh("cpu", (dist.get_world_size(),))
    results = []
    whole = ColwiseParallel(output_layouts=Replicate())
    for embedding in (RowwiseParallel(input_layouts=Replicate()), whole):
        torch.manual_seed(0)
        alone = Net()
        torch.manual_seed(dist.get_rank())  # the weights of the first process are taken
        net = Net()
        if dist.get_rank() == 0:
            net.load_state_dict(alone.state_dict())
        plan = {
            "embed": embedding, "blocks.*.up": ColwiseParallel(), "blocks.*.down": RowwiseParallel(),
            "head": whole,
        }  # fmt: skip
        parallelize_module(net, mesh, plan)
        shapes = [list(p.to_local().shape) for p in net.parameters()]
        first, second = losses(alone), losses(net)
        difference = max(abs(a - b) for a, b in zip(first, second))
        pairs = zip(net.parameters(), alone.parameters())
        apart = max((p.full_tensor() - q).abs().max().item() for p, q in pairs)
        results.append([shapes, second, difference < 1e-5, apart < 1e-4])
    up = nn.Linear(4, 6)
    divided = parallelize_module(up, mesh, ColwiseParallel(use_local_output=False, output_layouts=Shard(0)))
    results.append([repr(divided(torch.ones(4, 4)).placements), divided(torch.ones(4, 4)).shape])
    results += [in_sequence(mesh), classes(mesh), beside(mesh), placed(mesh)]
    tell(dist.get_rank(), results)


class Normed(nn.Module):
    """A block with a norm before and after, whose places in the sequence are divided."""

    def __init__(self):
        super().__init__()
        self.before, self.up, self.down = nn.LayerNorm(8), nn.Linear(8, 12), nn.Linear(12, 8)
        self.after = nn.RMSNorm(8)

    def forward(self, x):
        return self.after(x + self.down(F.gelu(self.up(self.before(x)))))


def in_sequence(mesh):
    torch.manual_seed(7)
    alone, net = Normed(), Normed()
    net.load_state_dict(alone.state_dict())
    parallelize_module(net, mesh, {
        "before": SequenceParallel(use_local_output=True),
        "up": PrepareModuleInput(input_layouts=Shard(1), desired_input_layouts=Replicate()),
        "down": RowwiseParallel(output_layouts=Shard(1)),
        "after": SequenceParallel(),
        "": PrepareModuleInput(
            input_layouts=Replicate(), desired_input_layouts=Shard(1), use_local_output=True
        ),
    })  # fmt: skip
    parallelize_module(net, mesh, {
        "up": ColwiseParallel(),
        "after": PrepareModuleOutput(output_layouts=Shard(1), desired_output_layouts=Replicate()),
    })  # fmt: skip
    x = torch.randn(2, 6, 8)
    for one in (alone, net):
        one(x).pow(3).sum().backward()
    pairs = [(p.grad.full_tensor(), q.grad) for p, q in zip(net.parameters(), alone.parameters())]
    close = [bool(((a - b).abs().max() < 1e-4 * b.abs().max()).item()) for a, b in pairs]
    return [close, repr(SequenceParallel()), repr(net.after.weight.placements), net(x).sum().item()]


def classes(mesh):
    torch.manual_seed(8)
    head, x, y = nn.Linear(8, 9), torch.randn(5, 8), torch.arange(5)
    parallelize_module(head, mesh, ColwiseParallel(use_local_output=False))
    with loss_parallel():
        loss = F.cross_entropy(head(x), y)
        loss.backward()
    return [loss.full_tensor().item(), head.weight.grad.full_tensor().abs().sum().item()]


def beside(mesh):
    """Elementwise ops of parts and copies have parts; plain tensors are copies where that is asked for."""
    rows = distribute_tensor(torch.arange(12.0).reshape(4, 3), mesh, [Shard(0)])
    copies = distribute_tensor(torch.arange(3.0), mesh, [Replicate()])
    found = [repr((rows * copies).placements), (rows * copies).full_tensor().tolist()]
    try:
        rows + torch.ones(4, 3)
    except RuntimeError as error:
        found.append(str(error)[-95:])
    with implicit_replication():
        plain = rows + torch.arange(4.0).reshape(4, 1)
    return [*found, repr(plain.placements), plain.full_tensor().tolist()]


def placed(mesh):
    """Where the results of ops and the gradients of their arguments are, and their values."""
    rows, columns, copies, summands = Shard(0), Shard(1), Replicate(), Partial()
    found = []

    def tensor(*shape, lies):
        x = torch.arange(float(torch.Size(shape).numel())).reshape(shape).remainder(7) / 7
        made = DTensor.from_local(x, mesh, [lies]) if lies == summands else distribute_tensor(x, mesh, [lies])
        return made.detach().requires_grad_()

    def show(function, *arguments):
        y = function(*arguments)
        (y * y.detach().redistribute(placements=[copies])).sum().backward()
        for one in (y, *(x.grad for x in arguments)):
            values = [round(v, 3) for v in one.full_tensor().flatten().tolist()[:7]]
            found.append([repr(one.placements), list(one.to_local().shape), values])

    for lies in (copies, rows, columns, summands):
        x = tensor(4, 6, lies=lies)
        for other in (copies, rows, columns):
            show(torch.mm, tensor(4, 6, lies=lies), tensor(6, 8, lies=other))
        show(F.linear, x, tensor(8, 6, lies=rows), tensor(8, lies=rows))
        for function in (
            lambda x: x.sum(1), lambda x: x.mean(), lambda x: x.amax(1), lambda x: x.softmax(1), F.gelu,
            lambda x: x.t(), lambda x: x.view(4, 2, 3), lambda x: x.unsqueeze(0),
            lambda x: torch.cat([x, x], 1), lambda x: x[:, 1:4], lambda x: x.softmax(0),
        ):  # fmt: skip
            show(function, tensor(4, 6, lies=lies))
        show(lambda x, w: F.layer_norm(x, (6,), w), tensor(4, 6, lies=lies), tensor(6, lies=copies))
    places = distribute_tensor(torch.tensor([[1, 2], [3, 0]]), mesh, [rows])
    show(lambda w: F.embedding(places, w), tensor(8, 6, lies=columns))
    return found


if __name__ == "__main__":
    main()
