"""Processes that `spawn` starts and that meet where the arguments say; then one of them fails."""

from __future__ import annotations

import os
import signal
import sys

import torch
import torch.distributed as dist
import torch.multiprocessing as mp


def worker(rank, size, place):
    dist.init_process_group("gloo", init_method=place, rank=rank, world_size=size)
    x = torch.full((2,), float(rank))
    dist.all_reduce(x)
    assert x.tolist() == [size * (size - 1) / 2] * 2
    assert torch.get_num_threads() == max(1, len(os.sched_getaffinity(0)) // size)
    dist.destroy_process_group()
    dist.init_process_group("gloo", init_method=place, rank=rank, world_size=size)
    if rank == 1 and sys.argv[2] == "killed":
        os.kill(os.getpid(), signal.SIGKILL)
    dist.barrier()


if __name__ == "__main__":
    mp.spawn(worker, (3, sys.argv[1]), nprocs=3)
    print("all ended")
