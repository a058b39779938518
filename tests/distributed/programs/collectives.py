"""Every collective, with a line for each result: the same under torch's gloo and under pullback."""

from __future__ import annotations

import os
import sys
from datetime import timedelta

import torch
import torch.distributed as dist
import torch.distributed._functional_collectives as functions
import torch.distributed.nn.functional as collective
from torch.distributed.algorithms.model_averaging.averagers import PeriodicModelAverager
from torch.distributed.optim import PostLocalSGDOptimizer

DTYPES = [
    "float32", "float64", "float16", "bfloat16", "int8", "uint8", "int32", "int64", "bool", "complex64",
]  # fmt: skip
OPS = ["SUM", "AVG", "PRODUCT", "MIN", "MAX", "BAND", "BOR", "BXOR"]

dist.init_process_group("gloo", timeout=timedelta(seconds=30))
rank, size = dist.get_rank(), dist.get_world_size()
out = open(os.path.join(sys.argv[1], f"{rank}.txt"), "w")  # noqa: SIM115  # closed at the end


def show(name, value):
    if torch.is_tensor(value):
        value = (str(value.dtype), list(value.shape), value.tolist())
    elif isinstance(value, (list, tuple)):
        value = [one.tolist() if torch.is_tensor(one) else one for one in value]
    print(name, value, file=out)


def own(dtype="float32", shape=(2, 3)):
    count = torch.Size(shape).numel()
    return (torch.arange(count).reshape(shape) % 3 + 1 + rank).to(getattr(torch, dtype))


def full(value, *shape):
    return torch.full(shape, float(value))


for dtype in DTYPES:
    for op in OPS:
        x = own(dtype)
        if op in ("BAND", "BOR", "BXOR") and (x.is_floating_point() or x.is_complex()):
            continue
        if x.is_complex() and op in ("MIN", "MAX", "PRODUCT"):
            continue
        if op == "AVG" and not x.is_floating_point():
            continue
        if dtype == "bool" and op == "BXOR":  # gloo takes bool for a number
            continue
        dist.all_reduce(x, getattr(dist.ReduceOp, op))
        show(f"all_reduce {dtype} {op}", x)
for name, x in {
    "transposed": own().t(), "empty": own(shape=(0, 3)), "number": own(shape=()),
}.items():  # fmt: skip
    dist.all_reduce(x)
    show(f"all_reduce {name}", x)
    dist.broadcast(x, 1)
    show(f"broadcast {name}", x)

work = dist.all_reduce(x := own(), async_op=True)
doubled = work.get_future().then(lambda future: future.value()[0] * 2)
work.wait()
show("async", [work.is_completed(), x, doubled.wait()])
parts = [full(rank + i, 1000) for i in range(5)]
works = [dist.all_reduce(one, async_op=True) for one in parts]
for one in works:
    one.wait()
show("many", [one[0] for one in parts])

x = own()
dist.reduce(x, 1)
show("reduce", x if rank == 1 else None)
found = [torch.zeros(2, 3) for _ in range(size)]
dist.all_gather(found, own().t().contiguous().t())
show("all_gather", found)
dist.all_gather_into_tensor(x := torch.zeros(size * 2, 3), own())
show("all_gather_into_tensor", x)
dist.gather(own(), found if rank == 1 else None, dst=1)
show("gather", found)
dist.scatter(x := torch.zeros(2), [full(10 + i, 2) for i in range(size)] if rank == 0 else None, src=0)
show("scatter", x)
dist.reduce_scatter(x := torch.zeros(2), [full(rank * i, 2) for i in range(size)])
show("reduce_scatter", x)
dist.reduce_scatter_tensor(x := torch.zeros(2), torch.arange(2.0 * size), dist.ReduceOp.MAX)
show("reduce_scatter_tensor", x)
found = [torch.zeros(2) for _ in range(size)]
dist.all_to_all(found, [full(10 * rank + i, 2) for i in range(size)])
show("all_to_all", found)
dist.all_to_all_single(x := torch.zeros(size, 2), torch.arange(2.0 * size).reshape(size, 2) + 100 * rank)
show("all_to_all_single", x)
sent = [(rank + i) % 2 + 1 for i in range(size)]
received = [(i + rank) % 2 + 1 for i in range(size)]
x = torch.zeros(sum(received))
dist.all_to_all_single(x, torch.arange(float(sum(sent))) + 100 * rank, received, sent)
show("all_to_all_single uneven", x)

before, after = (rank - 1) % size, (rank + 1) % size
x = torch.zeros(3)
if rank == 0:
    dist.send(full(7, 3), after, tag=3)
    show("recv", [dist.recv(x, before, tag=3), x])
else:
    show("recv", [dist.recv(x, before, tag=3), x])
    dist.send(x + 1, after, tag=3)
ops = [dist.P2POp(dist.isend, full(rank, 2), after), dist.P2POp(dist.irecv, x := torch.zeros(2), before)]
for one in dist.batch_isend_irecv(ops):
    one.wait()
show("batch_isend_irecv", x)
if rank == 0:
    senders = sorted(dist.recv(torch.zeros(1)) for _ in range(size - 1))
    show("recv from any", senders)
else:
    dist.send(torch.ones(1), 0)

objects = [None] * size
dist.all_gather_object(objects, {"rank": rank, "text": "x" * 100 * rank})
show("all_gather_object", objects)
dist.gather_object((rank,), objects if rank == 0 else None, dst=0)
show("gather_object", objects)
dist.broadcast_object_list(objects := [rank, "y" * rank], src=1)
show("broadcast_object_list", objects)
dist.scatter_object_list(one := [None], [{i} for i in range(size)] if rank == 0 else None, src=0)
show("scatter_object_list", one)

pair = dist.new_group([0, 1])
rest = dist.new_group([1, 0] if size == 2 else [0, size - 1])
members = dist.get_process_group_ranks(dist.group.WORLD)
show("ranks", [dist.get_rank(pair), dist.get_world_size(pair), members])
if rank < 2:
    dist.all_reduce(x := own(), group=pair)
    show("in a group", x)
    dist.broadcast(x := own(), 1, group=pair)
    show("broadcast in a group", [x, dist.get_global_rank(pair, 1), dist.get_group_rank(pair, 0)])
mine, groups = dist.new_subgroups(2)
dist.all_gather_object(objects := [None] * 2, rank, group=mine)
show("new_subgroups", [objects, len(groups)])
dist.monitored_barrier()


def gradient(name, function, count=2):
    x = torch.arange(1.0, count + 1).requires_grad_()
    value = function(x * (rank + 1))
    (value * (rank + 2)).sum().backward()
    show(f"gradient {name}", [value.detach(), x.grad])


gradient("all_reduce", collective.all_reduce)
gradient("broadcast", lambda x: collective.broadcast(x, 1))
gradient("reduce", lambda x: collective.reduce(x, 0))
gradient("all_gather", lambda x: torch.stack(collective.all_gather(x)))
gradient("gather, scatter", lambda x: collective.scatter([one * 3 for one in collective.gather(x, 0)], 0))
gradient("reduce_scatter", lambda x: collective.reduce_scatter(torch.zeros(1), list(x.split(1))), size)
gradient("all_to_all_single", lambda x: collective.all_to_all_single(torch.zeros(size), x), size)
places = list(torch.zeros(size, 1))
gradient("all_to_all", lambda x: torch.cat(collective.all_to_all(places, list(x.split(1)))), size)


def functional(name, *arguments):
    value = own(shape=(size, 3))
    found = getattr(functions, name)(value, *arguments, dist.group.WORLD)
    show(f"functional {name}", [functions.wait_tensor(found).clone(), value])


functional("all_reduce", "sum")
functional("all_reduce", "avg")
functional("broadcast", 1)
functional("all_gather_tensor", 0)
functional("all_gather_tensor", 1)
functional("reduce_scatter_tensor", "max", 0)


def error(name, call):
    try:
        call()
    except (RuntimeError, TypeError, ValueError) as caught:
        show(f"error {name}", [type(caught).__name__, str(caught).split("\n")[0]])


error("no tensor", lambda: dist.all_reduce([1.0]))
error("root", lambda: dist.broadcast(torch.ones(1), size + 3))
error("self", lambda: dist.send(torch.ones(1), rank))
error("list", lambda: dist.all_gather([torch.ones(1)], torch.ones(1)))
error("dtypes", lambda: dist.all_gather([torch.ones(1, dtype=torch.int64)] * size, torch.ones(1)))
error("shapes", lambda: dist.all_gather([torch.ones(3)] * size, torch.ones(2)))
error("bits", lambda: dist.all_reduce(torch.ones(1), dist.ReduceOp.BAND))
error("twice", lambda: dist.init_process_group("gloo"))
error("nccl", lambda: dist.new_group(backend="nccl"))
error("complex", lambda: dist.all_reduce(own("complex64"), dist.ReduceOp.MAX))
error("complex parts", lambda: dist.all_reduce_coalesced([own("complex64")], dist.ReduceOp.PRODUCT))
parts = [own("complex64") for _ in range(size)]
error("complex shares", lambda: dist.reduce_scatter(own("complex64"), parts, dist.ReduceOp.MAX))
error("mean of integers", lambda: dist.all_reduce(own("int64"), dist.ReduceOp.AVG))
error("complex root", lambda: dist.reduce(own("complex64"), 0, dist.ReduceOp.MIN))
error("kinds", lambda: dist.all_reduce_coalesced([own(), own("int64")]))
error("range", lambda: dist.new_group([0, size + 1]))
error("sparse", lambda: dist.all_reduce(own().to_sparse(), dist.ReduceOp.MIN))

# sparse tensors have entries at different places, complex ones may come with real ones
sparse = torch.sparse_coo_tensor(torch.tensor([[0, rank + 1]]), own(shape=(2, 2)), (size + 1, 2))
dist.all_reduce(sparse)
show("sparse", [sparse.to_dense(), sparse._nnz()])
several = [own(), own("complex64")]
dist.all_reduce_coalesced(several)
show("coalesced kinds", several)
before = dist.get_pg_count()
half, _ = dist.new_subgroups(size // 2)
single, singles = dist.new_subgroups(1, group=half)
show("groups of a group", [single.size(), len(singles), dist.get_pg_count() - before])

# each collective is an event of a profile
with torch.autograd.profiler.profile(record_shapes=True) as profile:
    dist.all_reduce(own())
    dist.broadcast(own("complex64"), 0)
    dist.all_gather([torch.zeros(2, 3) for _ in range(size)], own())
    dist.all_to_all_single(torch.zeros(size), torch.ones(size))
events = [e for e in profile.function_events if e.name.startswith("gloo:")]
show("events", sorted([e.name, e.input_shapes, e.is_async, e.count] for e in events))

parameter = torch.nn.Parameter(own())
parameter.grad = torch.ones(2, 3)
optimizer = PostLocalSGDOptimizer(torch.optim.SGD([parameter], lr=0.5), PeriodicModelAverager(2, 1))
for _ in range(4):
    optimizer.step()
    show("averaged now and then", parameter.detach())
show("steps", optimizer.state_dict()["step"])
dist.barrier()
dist.destroy_process_group()
error("none", lambda: dist.all_reduce(torch.ones(1)))
out.close()
