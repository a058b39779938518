"""Run distributed programs that others wrote in pullback and in torch, and compare every loss.

    python -m tools.compare_examples FOLDER [NAME ...]

FOLDER is a checkout of pytorch/examples. Its programs ask for accelerators; `tools/example_on_cpu.py`, which
both libraries run them under, lets the CPU stand for one, seeds the generator and notes each value from which
backward begins. No file of theirs is changed. A row of the output says how many values each rank has noted
and how far those of the two libraries are apart.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parents[1]
SHIMS = {"T5_training.py": ROOT / "tools" / "example_t5.py"}
SHIM = ROOT / "tools" / "example_on_cpu.py"

#: Programs that leave a checkpoint and go on from it: they run once more in the same folder.
RESUMED = ("FSDP2", "FSDP2, dcp")
#: By name: the program below ``distributed``, its arguments, and how many processes run it.
PROGRAMS: dict[str, tuple[str, list[str], int]] = {
    "ddp": ("ddp/example.py", [], 2),
    "ddp tutorial": ("ddp-tutorial-series/multigpu_torchrun.py", ["2", "1"], 2),
    "ddp tutorial, nodes": ("ddp-tutorial-series/multinode.py", ["2", "1"], 2),
    "minGPT": (
        "minGPT-ddp/mingpt/main.py",
        ["data_config.path=data/input.txt", "data_config.truncate=0.002", "data_config.block_size=32",
         "gpt_config.n_layer=2", "gpt_config.n_head=2", "gpt_config.n_embd=32", "trainer_config.max_epochs=2",
         "trainer_config.batch_size=64", "trainer_config.data_loader_workers=0",
         "trainer_config.use_amp=False", "trainer_config.save_every=1",
         "trainer_config.snapshot_path=snapshot.pt"],
        2,
    ),
    "FSDP2": ("FSDP2/example.py", [], 2),
    "FSDP2, prefetching": ("FSDP2/example.py", ["--explicit-prefetching"], 2),
    "FSDP2, mixed precision": ("FSDP2/example.py", ["--mixed-precision"], 2),
    "FSDP2, dcp": ("FSDP2/example.py", ["--dcp-api"], 2),
    "FSDP T5": (
        "FSDP/T5_training.py", ["mixed_precision=False", "save_model=True", "save_optimizer=True"], 2
    ),
    "FSDP T5, mixed precision": ("FSDP/T5_training.py", [], 2),
    "FSDP T5, sharded state": (
        "FSDP/T5_training.py",
        ["mixed_precision=False", "sharding_strategy=SHARD_GRAD_OP", "save_model=True",
         "checkpoint_type=SHARDED_STATE_DICT"],
        2,
    ),
    "tensor parallel": ("tensor_parallelism/tensor_parallel_example.py", [], 2),
    "sequence parallel": ("tensor_parallelism/sequence_parallel_example.py", [], 2),
}  # fmt: skip
LAUNCHERS = {"pullback": "pullback.distributed.run", "torch": "torch.distributed.run"}


def run(
    library: str, program: Path, arguments: list[str], ranks: int, times: int
) -> dict[str, list[float]] | str:
    """Return the values that each rank has noted, or the end of what a program that failed has said."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "program"
        subprocess.run(["cp", "-r", str(program.parent), str(copy)], check=True)
        environment = {
            **os.environ, "PYTHONPATH": str(ROOT / "src"), "NOTES": folder, "OMP_NUM_THREADS": "1",
            "PYTHONWARNINGS": "ignore",
        }  # fmt: skip
        for _ in range(times):
            done = subprocess.run(
                [sys.executable, "-W", "ignore", "-m", LAUNCHERS[library], f"--nproc-per-node={ranks}",
                 "--master-port=29731", str(SHIMS.get(program.name, SHIM)), program.name, *arguments],
                cwd=copy, env=environment, capture_output=True, text=True, timeout=300, check=False,
            )  # fmt: skip
            if done.returncode:
                return (done.stdout + done.stderr)[-3000:]
        return {file.stem: json.loads(file.read_text()) for file in sorted(Path(folder).glob("*.json"))}


def difference(here: dict[str, list[float]], there: dict[str, list[float]]) -> float:
    """Return the largest relative difference of two runs; infinity for other numbers of values."""
    if {k: len(v) for k, v in here.items()} != {k: len(v) for k, v in there.items()}:
        return float("inf")
    pairs = ((a, b) for rank in here for a, b in zip(here[rank], there[rank], strict=True))
    return max((abs(a - b) / max(1.0, abs(b)) for a, b in pairs), default=0.0)


def main() -> None:
    """Run the programs that were asked for, all by default."""
    folder, *names = sys.argv[1:]
    for name in names or PROGRAMS:
        path, arguments, ranks = PROGRAMS[name]
        found = {}
        for library in LAUNCHERS:
            start = time.perf_counter()
            program = Path(folder) / "distributed" / path
            found[library] = run(library, program, arguments, ranks, 2 if name in RESUMED else 1)
            print(f"  {library}: {time.perf_counter() - start:.0f} s", flush=True)
        here, there = found["pullback"], found["torch"]
        if isinstance(here, str) or isinstance(there, str):
            print(f"{name}: pullback {'fails' if isinstance(here, str) else 'runs'}, torch "
                  f"{'fails' if isinstance(there, str) else 'runs'}")  # fmt: skip
            print(here if isinstance(here, str) else there)
        else:
            counts = "+".join(str(len(v)) for v in here.values())
            print(f"{name}: {counts} losses, difference {difference(here, there):.1e}", flush=True)


if __name__ == "__main__":
    main()
