"""Define the levels of TORCH_DISTRIBUTED_DEBUG, and the check that all processes run the same collective.

At DETAIL every collective first compares what the processes of its group are about to do, over a communicator
of its own: a mismatch is an error in each of them instead of a hang.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from enum import IntEnum
from typing import TYPE_CHECKING, Any

from ..core.settings import SETTINGS
from ..core.value import dtype_of

if TYPE_CHECKING:
    from .process_group import Group


class DebugLevel(IntEnum):
    """Say how much is checked."""

    OFF = 0
    INFO = 1
    DETAIL = 2


def _from_environment() -> DebugLevel:
    told = os.environ.get("TORCH_DISTRIBUTED_DEBUG", "OFF").upper()
    if told not in DebugLevel.__members__:
        raise RuntimeError("The value of TORCH_DISTRIBUTED_DEBUG must be OFF, INFO, or DETAIL.")
    return DebugLevel[told]


def get_debug_level() -> DebugLevel:
    """Return the level that was set, or that of TORCH_DISTRIBUTED_DEBUG."""
    level = SETTINGS.collective_checks
    return _from_environment() if level is None else DebugLevel(level)


def set_debug_level(level: DebugLevel) -> None:
    """Set the level for groups that are made from now on."""
    SETTINGS.collective_checks = DebugLevel(level)


def set_debug_level_from_env() -> None:
    """Set the level that TORCH_DISTRIBUTED_DEBUG says."""
    set_debug_level(_from_environment())


#: What torch's C++ calls the dtypes.
SCALARS = {
    "float32": "Float", "float64": "Double", "float16": "Half", "bfloat16": "BFloat16", "int8": "Char",
    "uint8": "Byte", "int16": "Short", "int32": "Int", "int64": "Long", "bool": "Bool",
    "complex64": "ComplexFloat", "complex128": "ComplexDouble",
}  # fmt: skip
#: What torch says of every tensor on the CPU.
DEVICE = (
    ", TensorDeviceTypes=TensorOptions(dtype=float (default), device=cpu, layout=Strided (default), "
    "requires_grad=false (default), pinned_memory=false (default), memory_format=(nullopt))"
)
#: Collectives whose tensors may differ from process to process.
FREE_SHAPES = frozenset({"ALLTOALL", "ALLTOALL_BASE", "BARRIER"})


def scalar(tensor: Any) -> str:
    """Return what torch's C++ calls the dtype of a tensor or an array."""
    return SCALARS.get(str(dtype_of(tensor)), str(dtype_of(tensor)))


def fingerprint(
    number: int, name: str, tensors: Sequence[Any], routes: Any, how: dict[str, Any]
) -> dict[str, Any]:
    """Return what is compared of a collective."""
    mark = {
        "number": number, "name": name, "shapes": [list(one.shape) for one in tensors],
        "dtypes": [scalar(one) for one in tensors], "how": how,
    }  # fmt: skip
    if routes is not None:
        sent, to, received, of = routes
        mark["sends"] = [(scalar(sent), count) for count in to]
        mark["receives"] = [(scalar(received), count) for count in of]
    return mark


def described(mark: dict[str, Any]) -> str:
    """Return a fingerprint as torch writes it."""
    shapes = "".join(f", TensorShape=[{', '.join(map(str, mark['shapes'][0]))}]" for _ in mark["shapes"][:1])
    dtypes = "".join(f", TensorDtypes={', '.join(mark['dtypes'])}" for _ in mark["dtypes"][:1])
    return (
        f"CollectiveFingerPrint(SequenceNumber={mark['number']}, OpType={mark['name']}{shapes}{dtypes}"
        f"{DEVICE if mark['shapes'] else ''})"
    )


def differences(mine: dict[str, Any], other: dict[str, Any]) -> str:
    """Return in what two fingerprints differ, as torch writes it."""
    found = []
    if mine["number"] != other["number"]:
        found.append(f"\t Sequence number: {mine['number']}vs {other['number']}")
    if mine["name"] != other["name"]:
        found.append(f"  Op type: {mine['name']}vs {other['name']}")
    elif mine["name"] not in FREE_SHAPES:
        for one, two in zip(mine["shapes"], other["shapes"], strict=False):
            if one != two:
                found.append(f"  Tensor Tensor shapes: {' '.join(map(str, one))}vs {' '.join(map(str, two))}")
        for kind, another in zip(mine["dtypes"], other["dtypes"], strict=False):
            if kind != another:
                found.append(f"  Tensor Tensor dtypes: {kind}vs {another}")
        found += [
            f"  {word}: {mine['how'].get(word)}vs {other['how'].get(word)}"
            for word in sorted(mine["how"].keys() | other["how"].keys())
            if mine["how"].get(word) != other["how"].get(word)
        ]
    return " ".join(found)


def _unlike(marks: Sequence[dict[str, Any]]) -> str:
    """Return which process sends something else than another one expects of it; nothing where all agree."""
    for rank, mark in enumerate(marks):
        for other, (dtype, count) in enumerate(mark.get("sends", ())):
            expected, length = marks[other].get("receives", [(dtype, count)] * len(marks))[rank]
            if (expected, length) != (dtype, count):
                return (
                    f"Rank {rank} sends {count} elements of {dtype} to rank {other}, which expects "
                    f"{length} of {expected}"
                )
    return ""


def verify(group: Group, name: str, tensors: Sequence[Any], routes: Any, how: dict[str, Any]) -> None:
    """Raise torch's RuntimeError, with what this process and another one run, where the processes of a group
    are not about to run the same collective.
    """
    from .objects import gathered

    mine = fingerprint(group.checks, name, tensors, routes, how)
    group.checks += 1
    marks = gathered(group, group.control, mine)
    for rank, other in enumerate(marks):
        if found := differences(mine, other):
            raise RuntimeError(
                f"Detected mismatch between collectives on ranks. Rank {group.rank()} is running collective: "
                f"{described(mine)}, but Rank {rank} is running collective: {described(other)}."
                f"Collectives differ in the following aspects: {found}"
            )
    if unlike := _unlike(marks):
        raise RuntimeError(
            f"Detected mismatch between collectives on ranks. Rank {group.rank()} is running collective: "
            f"{described(mine)}. {unlike}"
        )
