"""Record torch's random streams as tests/array/data/random.json.

Run with a Python that has torch, from the project's root: ``python -m tools.record_random``. Of the float32
logarithm, sine and cosine it records torch's results for each of the 2²⁴ arguments that they can have.
"""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import torch
from tests.array.random_steps import c_library, digest, mixed, outcome, refused, systematic, with_torch

from pullback.array.random import STATE, STATE_WORDS

DATA = Path(__file__).parents[1] / "tests" / "array" / "data" / "random.json"

SEEDS: list[Any] = [
    0, 5, -1, -(2**63), 2**63, 2**64 - 1, 2**64, -(2**63) - 1, True, 1.5, "a", None, 1j, np.int64(5),
    np.float64(3),
]  # fmt: skip


def state_of(generator: Any) -> bytes:
    return generator.get_state().numpy().tobytes()


def seeds() -> Iterator[list[Any]]:
    for seed in SEEDS:
        try:
            result: Any = torch.Generator().manual_seed(seed).initial_seed()
        except (RuntimeError, TypeError, ValueError) as error:
            result = f"{type(error).__name__}: {error}"
        yield [repr(seed), result]


def states() -> Iterator[list[Any]]:
    """States at the start, within and at the end of a block, with and without a waiting normal number."""
    generator = torch.Generator().manual_seed(-7)
    for kernel, size in (
        ("uniform", 0), ("uniform", 3), ("normal", 5), ("uniform", 601), ("uniform", 2), ("normal", 16),
    ):  # fmt: skip
        step = [kernel, "float32", [size], "plain", []]
        with_torch(torch, step, generator)
        yield [step, base64.b85encode(zlib.compress(state_of(generator), 9)).decode()]


# --- the float32 functions ----------------------------------------------------------------------------------


def untemper(words: np.ndarray) -> np.ndarray:
    """Return the state words whose outputs are ``words``."""
    y = words ^ words >> 18
    y ^= y << 15 & 0xEFC60000
    undone = y
    for _ in range(4):
        undone = y ^ (undone << 7 & 0x9D2C5680)
    y = undone
    for _ in range(2):
        undone = y ^ undone >> 11
    return undone


def blocks(first: np.ndarray, second: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the cosine and sine halves of ``normal_`` where it draws the given 24-bit integers."""
    count = first.size
    rows = -(-count // 304)  # 38 blocks of 16 fit into the 623 words that a state can hand over
    padded = [np.resize(part, rows * 304).reshape(rows, 38, 8) for part in (first, second)]
    words = untemper(np.concatenate(padded, 2).reshape(rows, 608).astype(np.uint32))
    state = np.frombuffer(state_of(torch.Generator()), STATE).copy()
    state["left"], state["next"] = STATE_WORDS, 1
    tensor = torch.from_numpy(state.view(np.uint8))
    generator = torch.Generator()
    out = torch.empty(rows, 608)
    for row, given in zip(out, words):
        state["words"][0, 1:609] = given
        generator.set_state(tensor)
        row.normal_(generator=generator)
    halves = out.numpy().reshape(rows, 38, 2, 8)
    return halves[:, :, 0].reshape(-1)[:count], halves[:, :, 1].reshape(-1)[:count]


def functions() -> dict[str, str]:
    every = np.arange(2**24)
    radius, _ = blocks(every, np.zeros_like(every))
    of_radius_one = int(np.flatnonzero(radius == 1)[0])
    cosine, sine = blocks(np.full_like(every, of_radius_one), every)
    parts = {"radius": radius, "cosine": cosine, "sine": sine}
    return {name: digest(part.tobytes()) for name, part in parts.items()}


def main() -> None:
    torch.set_num_threads(1)
    parts: dict[str, Any] = {
        "c_library": c_library(), "functions": functions(), "seeds": [*seeds()], "states": [*states()],
        "refused": [[step, outcome(step, torch.Generator(), torch)] for step in refused()], "systematic": [],
    }  # fmt: skip
    for step in systematic():
        generator = torch.Generator().manual_seed(2**40 + 17)
        result = outcome(step, generator, torch)
        parts["systematic"].append([step, result, digest(state_of(generator))])
    for seed in range(30):
        generator = torch.Generator().manual_seed(seed)
        program = [[step, outcome(step, generator, torch)] for step in mixed(seed)]
        parts[f"mixed {seed}"] = [*program, digest(state_of(generator))]
    lines = []
    for name, part in parts.items():
        rows = part if isinstance(part, list) else [part]
        lines.append(json.dumps(name) + ": [\n" + ",\n".join(map(json.dumps, rows)) + "\n]")
    DATA.write_text("{\n" + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    main()
