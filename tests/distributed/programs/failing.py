"""A job in which rank 1 fails, as the first argument says."""

from __future__ import annotations

import os
import signal
import sys
import threading
from datetime import timedelta

import torch
import torch.distributed as dist

dist.init_process_group("gloo", timeout=timedelta(seconds=float(sys.argv[2])))
dist.all_reduce(torch.ones(3))
if dist.get_rank() == 1:
    if sys.argv[1] == "raise":
        raise ValueError("something of rank one's")
    if sys.argv[1] == "kill":
        os.kill(os.getpid(), signal.SIGKILL)
    if sys.argv[1] == "hang":
        threading.Event().wait()
print(f"pid {os.getpid()}", flush=True)
if sys.argv[1] == "hang":
    try:
        dist.irecv(torch.ones(3), src=1).wait(timedelta(seconds=0.5))
    except RuntimeError as error:
        print(error, file=sys.stderr)
dist.all_reduce(torch.ones(3))
