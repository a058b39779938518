"""Run the T5 program of pytorch/examples (FSDP) on the CPU without a network, in torch or in pullback.

    torchrun --nproc-per-node 2 tools/example_t5.py T5_training.py [KEY=VALUE ...] [ARGUMENT ...]

It downloads a model, its tokenizer and a data set, and asks for packages that nobody can install any more.
Here a T5 of two layers with random weights, a tokenizer that knows letters, and sentences made of a few words
stand for them. ``KEY=VALUE`` sets a field of the program's own `fsdp_config` or `train_config`: a member of
an enumeration by its name, other values as Python writes them. No file of the program is changed. Besides the
losses, the values that all processes have summed and the size of what a checkpoint holds are noted.
"""

from __future__ import annotations

import ast
import enum
import importlib
import random
import sys
import types
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import example_on_cpu
import torch
import torch.distributed as dist

WORDS = ("how", "to", "bake", "bread", "mix", "flour", "and", "water", "then", "wait", "an", "hour")
ROWS = {"train": 24, "validation": 16}


class Rows:
    """The part of a data set: its texts and headlines."""

    def __init__(self, split: str, indices: Sequence[int]) -> None:
        self.split, self.indices = split, [i for i in indices if i < ROWS[split]]
        self.shape = (len(self.indices), 2)

    def select(self, indices: list[int]) -> Rows:
        """Return some rows; those that there are."""
        return Rows(self.split, [self.indices[i] for i in indices if i < len(self.indices)])

    def __getitem__(self, place: int) -> dict[str, str]:
        """Return a row."""
        chosen = random.Random(f"{self.split} {self.indices[place]}")
        text, headline = (" ".join(chosen.choices(WORDS, k=count)) for count in (60, 8))
        return {"text": text, "headline": headline}


def load_dataset(*_: Any, split: str | None = None, **options: Any) -> Any:
    """Return a split, or all of them by name."""
    return Rows(split, range(9999)) if split else {name: Rows(name, range(9999)) for name in ROWS}


class Letters:
    """A tokenizer to which each letter is a token."""

    def batch_encode_plus(self, texts: list[str], max_length: int, **options: Any) -> dict[str, Any]:
        """Return tokens and where there are some, padded to the length."""
        ids = torch.zeros(len(texts), max_length, dtype=torch.long)
        for row, text in zip(ids, texts, strict=True):
            codes = [ord(letter) % 60 + 3 for letter in text][: max_length - 1]
            codes.append(1)
            row[: len(codes)] = torch.tensor(codes)
        return {"input_ids": ids, "attention_mask": (ids > 0).long()}


def small_model(name: str) -> Any:
    """Return a T5 of two layers; its weights depend on the seed."""
    library: Any = sys.modules["transformers"]
    config = library.T5Config(
        vocab_size=64, d_model=32, d_kv=8, d_ff=48, num_layers=2, num_heads=4, dropout_rate=0.0,
        decoder_start_token_id=0,
    )  # fmt: skip
    return library.T5ForConditionalGeneration(config)


def stand_in() -> None:
    """Put stand-ins where the program looks for what is not there."""
    nlp: Any = types.ModuleType("nlp")
    nlp.load_dataset = load_dataset
    packages: Any = types.ModuleType("pkg_resources")
    packages.packaging = importlib.import_module("packaging")
    importlib.import_module("packaging.version")
    sys.modules.update(nlp=nlp, pkg_resources=packages)
    # it would import torchvision where that is installed, whatever its version
    utils: Any = importlib.import_module("transformers.utils")
    utils.is_torchvision_available = utils.import_utils.is_torchvision_available = lambda: False
    importlib.import_module("transformers.models.t5.modeling_t5")
    library: Any = sys.modules["transformers"]  # which that has put another in the place of
    library.AdamW = torch.optim.AdamW
    library.T5Tokenizer = types.SimpleNamespace(from_pretrained=lambda *_, **__: Letters())
    library.T5ForConditionalGeneration.from_pretrained = small_model
    torch.cuda.current_device = lambda: example_on_cpu.CPU  # type: ignore[assignment,return-value]
    # the program asks what an accelerator can do before it takes bfloat16
    torch.version.cuda = "12.0"
    torch.cuda.is_bf16_supported = lambda *_: True
    dist.is_nccl_available = lambda: True
    torch.cuda.nccl.version = lambda: (2, 20)


def unpinned(loader: Any) -> None:
    """Let a class of loaders leave memory where it is: pinning it is for real accelerators."""
    make = loader.__init__
    loader.__init__ = lambda self, *args, **options: make(self, *args, **{**options, "pin_memory": False})


def configure(folder: Path, settings: list[str]) -> None:
    """Set fields of the program's own settings."""
    sys.path.insert(0, str(folder))
    configs: Any = importlib.import_module("configs")
    for setting in settings:
        key, _, text = setting.partition("=")
        holder = configs.train_config if hasattr(configs.train_config, key) else configs.fsdp_config
        before = getattr(holder, key, None)
        value = type(before)[text] if isinstance(before, enum.Enum) else ast.literal_eval(text)
        setattr(holder, key, value)
    # torch on the CPU fails with states for the first process alone
    handler: Any = importlib.import_module("model_checkpointing.checkpoint_handler")
    handler.fullstate_save_policy.rank0_only = handler.fullstate_save_policy.offload_to_cpu = False
    # fields that its checkpoints read and its settings lack
    for key, value in {
        "verbose": False, "checkpoint_folder": "saved", "model_save_name": "t5", "optimizer_name": "adamw",
        "dist_checkpoint_root_folder": "sharded", "dist_checkpoint_folder": "run", "model_name": "t5",
        "save_using_num_threads": 1,
    }.items():  # fmt: skip
        if not hasattr(configs.fsdp_config, key):
            setattr(configs.fsdp_config, key, value)


def sizes(value: Any) -> float:
    """Return the sum of all magnitudes in nested values."""
    if isinstance(value, torch.Tensor):
        return float(value.double().abs().sum())
    if isinstance(value, dict):
        return sum(sizes(part) for part in value.values())
    return sum(sizes(part) for part in value) if isinstance(value, (list, tuple)) else 0.0


def main() -> None:
    """Run the program."""
    program, *arguments = sys.argv[1:]
    settings = [one for one in arguments if "=" in one]
    stand_in()
    unpinned(torch.utils.data.DataLoader)
    configure(Path(program).resolve().parent, settings)
    reduce = dist.all_reduce

    def all_reduce(tensor: Any, *args: Any, **kwargs: Any) -> Any:
        done = reduce(tensor, *args, **kwargs)
        if sys._getframe(1).f_code.co_filename.endswith("train_utils.py"):
            example_on_cpu.NOTED.append(float(tensor[0]))
        return done

    dist.all_reduce = all_reduce

    def written() -> None:
        saved = sorted(Path().glob("saved/*.pt"))
        example_on_cpu.NOTED.extend(sizes(torch.load(file, weights_only=False)) for file in saved)
        for folder in sorted(Path().glob("sharded/*")):
            from torch.distributed.checkpoint.format_utils import dcp_to_torch_save

            whole = Path(f"whole{example_on_cpu.rank()}.pt")
            dcp_to_torch_save(folder, whole)
            example_on_cpu.NOTED.append(sizes(torch.load(whole, weights_only=False)))

    sys.argv = [sys.argv[0], program, *(one for one in arguments if "=" not in one)]
    example_on_cpu.main(written)


if __name__ == "__main__":
    main()
