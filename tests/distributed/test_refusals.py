"""What torch.distributed has and pullback has not is refused by an error that says what to do."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest

from pullback.distributed import rpc


@pytest.mark.parametrize(
    "call",
    [
        lambda: rpc.init_rpc("worker0", rank=0, world_size=2),
        lambda: rpc.rpc_sync("worker1", len, args=([],)),
        lambda: rpc.rpc_async("worker1", len, args=([],)),
        lambda: rpc.remote("worker1", list),
        lambda: rpc.RRef(1),
        rpc.get_worker_info,
    ],
)
def test_calls_in_other_processes(call: Any) -> None:
    text = r"(?m)^torch\.distributed\.rpc\.\w+ is not part of pullback$"
    with pytest.raises(NotImplementedError, match=text) as caught:
        call()
    assert "send_object_list" in caught.value.__notes__[0]
    assert not rpc.is_available()


def test_modules_that_are_not_there_name_the_page() -> None:
    command = [sys.executable, "-m", "pullback", "-c", "import torch.distributed.launcher"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert "No module named 'torch.distributed.launcher'" in done.stderr
    assert "docs/distributed.md says what there is" in done.stderr
