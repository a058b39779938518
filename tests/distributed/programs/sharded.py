"""Trains modules whose parameters are sharded over two processes; results as lines of JSON.

Runs in torch (gloo) and in pullback alike.
"""

import copy
import warnings

import torch
import torch.distributed as dist
import torch.nn.functional as F
from told import tell
from torch import nn
from torch.distributed.algorithms._checkpoint.checkpoint_wrapper import apply_activation_checkpointing
from torch.distributed.checkpoint.state_dict import (
    StateDictOptions,
    get_model_state_dict,
    get_optimizer_state_dict,
    set_model_state_dict,
    set_optimizer_state_dict,
)
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import (
    FullStateDictConfig,
    FullyShardedDataParallel,
    MixedPrecisionPolicy,
    OptimStateKeyType,
    ShardingStrategy,
    StateDictType,
    fully_shard,
)
from torch.distributed.fsdp.sharded_grad_scaler import ShardedGradScaler
from torch.distributed.fsdp.wrap import CustomPolicy, ModuleWrapPolicy
from torch.distributed.tensor import DTensor, Replicate, Shard, distribute_tensor


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.up = nn.Linear(width, 3 * width)
        self.down = nn.Linear(3 * width, width)

    def forward(self, x):
        return x + self.down(F.gelu(self.up(self.norm(x))))


class Net(nn.Module):
    def __init__(self, width=7):  # does not divide by two
        super().__init__()
        self.embed = nn.Embedding(11, width)
        self.blocks = nn.ModuleList([Block(width) for _ in range(2)])
        self.head = nn.Linear(width, 11, bias=False)

    def forward(self, x):
        x = self.embed(x)
        for block in self.blocks:
            x = block(x)
        return self.head(x)


def made():
    torch.manual_seed(0)
    return Net()


def batch(step):
    generator = torch.Generator().manual_seed(100 * step + dist.get_rank())
    return torch.randint(0, 11, (3, 5), generator=generator)


def losses(model, optimizer, steps=3, first=0, clip=None, accumulate=None):
    found = []
    for step in range(first, first + steps):
        optimizer.zero_grad()
        if accumulate is not None:
            with accumulate(False):
                x = batch(step + 50)
                F.cross_entropy(model(x).flatten(0, 1).float(), x.flatten()).backward()
        x = batch(step)
        loss = F.cross_entropy(model(x).flatten(0, 1).float(), x.flatten())
        loss.backward()
        if clip is not None:
            norm = clip(model)
            found.append(norm.item())
        optimizer.step()
        found.append(loss.item())
    return found


def sharded(**options):
    model = made()
    for block in model.blocks:
        fully_shard(block, **options)
    return fully_shard(model, **options)


def adam(model):
    return torch.optim.AdamW(model.parameters(), lr=0.05, weight_decay=0.1)


def clip(model):
    norm = nn.utils.clip_grad_norm_(model.parameters(), 0.5)
    return norm.full_tensor() if isinstance(norm, DTensor) else norm


class Toggle:
    def __init__(self, model):
        self.model = model

    def __call__(self, value):
        return self

    def __enter__(self):
        self.model.set_requires_gradient_sync(False)

    def __exit__(self, *error):
        self.model.set_requires_gradient_sync(True)


def states():
    """Train, save whole and sharded states, go on; load both into fresh models and go on alike."""
    model = sharded()
    optimizer = adam(model)
    losses(model, optimizer, 2)
    whole = StateDictOptions(full_state_dict=True)
    saved = [
        [get_model_state_dict(model, options=o), get_optimizer_state_dict(model, optimizer, options=o)]
        for o in (whole, StateDictOptions())
    ]
    saved = [copy.deepcopy(pair) for pair in saved]  # one by one: the two share tensors
    kinds = [type(v).__name__ for v in (saved[0][0]["head.weight"], saved[1][0]["head.weight"])]
    averages = saved[0][1]["state"]["head.weight"]["exp_avg"].sum().item()
    going_on = losses(model, optimizer, 2, 2)
    resumes = []
    for (m, o), options in zip(saved, (whole, StateDictOptions())):
        other = sharded()
        resumed = adam(other)
        set_model_state_dict(other, m, options=options)
        set_optimizer_state_dict(other, resumed, o, options=options)
        resumes.append(losses(other, resumed, 2, 2))
    return [kinds, round(averages, 5), sorted(saved[0][0]), going_on, resumes]


def wrapped():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = []
        for strategy in (ShardingStrategy.FULL_SHARD, ShardingStrategy.SHARD_GRAD_OP):
            model = FullyShardedDataParallel(
                made(), auto_wrap_policy=ModuleWrapPolicy({Block}), use_orig_params=True,
                sharding_strategy=strategy, device_id=torch.device("cpu"),
            )  # fmt: skip
            optimizer = adam(model)
            found.append(losses(model, optimizer, 3))
            with FullyShardedDataParallel.state_dict_type(
                model, StateDictType.FULL_STATE_DICT, FullStateDictConfig(rank0_only=False)
            ):
                state = model.state_dict()
            head = state["head.weight"]
            found.append([sorted(state), head.sum().item(), type(head).__name__])
            other = FullyShardedDataParallel(
                made(), auto_wrap_policy=ModuleWrapPolicy({Block}), device_id=torch.device("cpu")
            )
            with FullyShardedDataParallel.state_dict_type(other, StateDictType.FULL_STATE_DICT):
                other.load_state_dict(state)
            found.append([other(batch(9)).sum().item() == model(batch(9)).sum().item()])
        return found


def recomputed():
    """Blocks computed again in backward: the wrapper within the shards, within FSDP's, and around these."""
    calls = []

    def counted(model):
        for module in model.modules():
            if isinstance(module, Block):
                module.register_forward_pre_hook(lambda *_: calls.append(1))
        return model

    is_block = lambda module: isinstance(module, Block)
    within = counted(made())
    apply_activation_checkpointing(within, check_fn=is_block)
    for block in within.blocks:
        fully_shard(block)
    options = {"auto_wrap_policy": ModuleWrapPolicy({Block}), "device_id": torch.device("cpu")}
    wrapped = FullyShardedDataParallel(counted(made()), use_orig_params=True, **options)
    apply_activation_checkpointing(wrapped, check_fn=is_block)
    around = counted(made())
    around = FullyShardedDataParallel(around, use_orig_params=True, **options)
    apply_activation_checkpointing(
        around, check_fn=lambda m: isinstance(m, FullyShardedDataParallel)
    )
    found = []
    for model in (fully_shard(within), wrapped, around):
        calls.clear()
        found += [losses(model, adam(model), 2), len(calls), sorted(model.state_dict())]
    return found


def optimizers():
    """States of an optimizer by the older methods of FSDP: resumed in another model."""
    cls = FullyShardedDataParallel
    policy = CustomPolicy(
        lambda m: {"sharding_strategy": ShardingStrategy.SHARD_GRAD_OP} if isinstance(m, Block) else False
    )

    def wrapped():
        # with use_orig_params=True torch on the CPU gives one average for the other
        return cls(made(), auto_wrap_policy=policy, device_id=torch.device("cpu"))

    model = wrapped()
    optimizer = adam(model)
    losses(model, optimizer, 2)
    state = {key: value.clone() for key, value in model.state_dict().items()}
    saved = copy.deepcopy(cls.full_optim_state_dict(model, optimizer, rank0_only=False))
    found = [sorted(saved["state"]), losses(model, optimizer, 2, 2)]
    resumed = []
    for convert in (cls.shard_full_optim_state_dict, cls.scatter_full_optim_state_dict):
        other = wrapped()
        other.load_state_dict(state)
        again = adam(other)
        again.load_state_dict(convert(copy.deepcopy(saved), other, optim=again))
        resumed.append(losses(other, again, 2, 2))
    plain = made()
    numbered = cls.rekey_optim_state_dict(saved, OptimStateKeyType.PARAM_ID, plain, optim=adam(plain))
    sums = [numbered["state"][key]["exp_avg"].abs().sum().item() for key in sorted(numbered["state"])]
    return [*found, sums, cls.get_state_dict_type(other).state_dict_type.name], resumed


def scaled():
    """A step is left out in all processes where the gradients of one overflow."""
    model = FullyShardedDataParallel(made(), device_id=torch.device("cpu"))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
    scaler = ShardedGradScaler(device="cpu", init_scale=4.0, growth_interval=2)
    found = []
    for step in range(3):
        optimizer.zero_grad()
        scaler.scale(model(batch(step)).square().mean()).backward()
        if step == 1 and dist.get_rank() == 1:
            next(p for p in model.parameters() if p.grad is not None).grad.mul_(float("inf"))
        scaler.step(optimizer)
        scaler.update()
        found.append(scaler.get_scale())
    with FullyShardedDataParallel.summon_full_params(model):
        return [*found, sum(p.abs().sum().item() for p in model.parameters())]


def left_out():
    """What is ignored is not sharded; modules without memory get it."""
    model = made()
    kept = model.head
    with torch.device("meta"):
        model.blocks[0].up = nn.Linear(7, 21)
    torch.manual_seed(3)
    model = FullyShardedDataParallel(
        model, ignored_states=[kept.weight], device_id=torch.device("cpu"), use_orig_params=True
    )  # fmt: skip
    return [list(kept.weight.shape), kept.weight.sum().item(), losses(model, adam(model), 2)]


def tensors():
    mesh = init_device_mesh("cpu", (2,))
    whole = torch.arange(15.0).view(5, 3)
    one = distribute_tensor(whole, mesh, [Shard(0)])
    two = one.redistribute(mesh, [Shard(1)])
    product = (one * 2 + one).redistribute(mesh, [Replicate()]).to_local()
    part = torch.ones(2, 2, requires_grad=True)
    joined = DTensor.from_local(part, mesh, [Shard(0)])
    (joined.full_tensor() * torch.arange(8.0).view(4, 2)).sum().backward()
    return [
        one.to_local().tolist(), two.to_local().tolist(), product.tolist(), one.sum().full_tensor().item(),
        list(one.shape), repr(one.placements), (one @ distribute_tensor(whole.t(), mesh, [Replicate()]))
        .full_tensor().tolist(), joined.full_tensor().tolist(), part.grad.tolist(),
    ]  # fmt: skip


def main():
    dist.init_process_group("gloo")
    model = sharded()
    by_name, resumed = optimizers()
    results = {
        "names": [type(model).__name__, type(model.blocks[0]).__name__, list(model.state_dict())],
        "shards": [list(p.to_local().shape) for p in model.parameters()],
        "losses": losses(model, adam(model)),
        "kept": losses(m := sharded(reshard_after_forward=False), adam(m)),
        "clipped": losses(m := sharded(), torch.optim.SGD(m.parameters(), lr=0.5, momentum=0.9), clip=clip),
        "accumulated": losses(m := sharded(), adam(m), accumulate=Toggle(m)),
        "mixed": losses(
            m := sharded(mp_policy=MixedPrecisionPolicy(torch.bfloat16, torch.float32)),
            torch.optim.SGD(m.parameters(), lr=0.1),
        ),
        "states": states(),
        "wrapped": wrapped(),
        "recomputed": recomputed(),
        "optimizers": by_name,
        "resumed": resumed,
        "scaled": scaled(),
        "left out": left_out(),
        "tensors": tensors(),
    }
    tell(dist.get_rank(), results)


if __name__ == "__main__":
    main()
