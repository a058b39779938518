"""Send messages between the stages of a pipeline: activations forward, their gradients backward.

What this module must do:

- send without waiting: a rank never waits for another one but for what it needs next, so that no order of the
  work of a pipeline can bring it to a standstill;
- tell the receiver shapes and dtypes: they may differ from microbatch to microbatch;
- keep messages of all stages and microbatches between two ranks apart, by tags;
- hand tensors over by themselves where both stages belong to one rank.
"""

from collections.abc import Sequence
from typing import Any

from ...array import dtypes
from ...tensor.creation import empty, tensor
from ..point_to_point import irecv, isend

#: Dtypes by their number in a message.
DTYPES = (
    dtypes.float32, dtypes.float64, dtypes.float16, dtypes.bfloat16, dtypes.int8, dtypes.int16, dtypes.int32,
    dtypes.int64, dtypes.uint8, dtypes.bool, dtypes.complex64, dtypes.complex128,
)  # fmt: skip
#: How many numbers describe the tensors of a message, and how many tensors there may be.
NUMBERS, MOST = 256, 31
#: The first tag; smaller ones are those of programs.
FIRST_TAG = 1 << 16


class Messages:
    """The messages of a stage."""

    def __init__(self, group: Any) -> None:
        self.group = group
        self._works: list[Any] = []

    def wait(self) -> None:
        """Wait until all that was sent has been received."""
        works, self._works = self._works, []
        for work in works:
            work.wait()

    def _tag(self, stage: int, chunk: int, backward: bool, position: int) -> int:
        return FIRST_TAG + (((chunk * 4096 + stage) * 2 + backward) * (MOST + 1)) + position

    def send(self, tensors: Sequence[Any], rank: int, stage: int, chunk: int, backward: bool = False) -> None:
        """Begin to send tensors that `stage` has made of a microbatch to a rank of the group."""
        numbers = [len(tensors)]
        for one in tensors:
            if one is None:
                numbers.append(-1)
            else:
                numbers += [DTYPES.index(one.dtype), int(one.requires_grad), one.dim(), *one.shape]
        if len(tensors) > MOST or len(numbers) > NUMBERS:
            raise ValueError(
                f"a stage of a pipeline may pass at most {MOST} tensors of altogether {NUMBERS // 2} "
                f"dimensions to the next, got {len(tensors)} tensors"
            )
        header = tensor([*numbers, *[0] * (NUMBERS - len(numbers))], dtype=dtypes.int64)
        held = [header, *(one.detach().contiguous() for one in tensors if one is not None)]
        for position, one in enumerate(held):
            tag = self._tag(stage, chunk, backward, position)
            if (work := isend(one, group=self.group, tag=tag, group_dst=rank)) is not None:
                self._works.append(work)

    def receive(self, rank: int, stage: int, chunk: int, backward: bool = False) -> list[Any]:
        """Return the tensors that `stage` of a rank of the group has sent, when they are here."""
        header = empty(NUMBERS, dtype=dtypes.int64)
        self._receive(header, rank, self._tag(stage, chunk, backward, 0))
        numbers = iter(header.tolist())
        found: list[Any] = []
        position = 1
        for _ in range(next(numbers)):
            if (kind := next(numbers)) < 0:
                found.append(None)
                continue
            learns = bool(next(numbers))
            one = empty([next(numbers) for _ in range(next(numbers))], dtype=DTYPES[kind])
            self._receive(one, rank, self._tag(stage, chunk, backward, position))
            position += 1
            found.append(one.requires_grad_(learns))
        return found

    def _receive(self, into: Any, rank: int, tag: int) -> None:
        if (work := irecv(into, group=self.group, tag=tag, group_src=rank)) is not None:
            work.wait()


def handed_over(tensors: Sequence[Any]) -> list[Any]:
    """Return tensors as the next stage gets them: outside of the graph that made them."""
    return [one if one is None else one.detach().requires_grad_(one.requires_grad) for one in tensors]
