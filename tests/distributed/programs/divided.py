"""A small transformer block whose layers are divided among two processes, beside the whole one."""

import torch
import torch.distributed as dist
import torch.nn.functional as F
from told import tell
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor import Replicate, Shard
from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, parallelize_module


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
    tell(dist.get_rank(), results)


if __name__ == "__main__":
    main()
