"""Write the reduction of gradients down as a part of a program, as `Reducer` does it in a pass.

The program begins to reduce a bucket where the last of its gradients is computed, goes on with the rest of
backward, and waits for all buckets at its end. Buckets, their order and their layout are the reducer's, so a
process whose step is compiled works together with one whose step is not.
"""

from functools import partial
from typing import Any

from ...autograd.grad_mode import no_grad
from ...core.backward_task import queue_callback
from ...core.hooks import add_hook, leaf_hooks
from ...ops.exchange import begin_exchange, end_exchange, exchange
from ...tensor.join import cat
from .buckets import compute_bucket_assignment_by_size
from .reducer import Reducer
from .synchronization import BROADCAST_BYTES, copy_apart

#: The sum over all processes.
SUM = ("all_reduce", None)


class TracedPass:
    """One pass of a trace, from the end of forward on.

    Parameters
    ----------
    reducer : Reducer

    Attributes
    ----------
    is_complete : bool
        Whether backward has come to its end.
    """

    def __init__(self, reducer: Reducer) -> None:
        self.group = reducer.group
        self.buckets = reducer.buckets
        self.is_complete = False
        self._pending = [len(bucket.numbers) for bucket in self.buckets]
        self._begun: list[Any] = []
        self._place = {n: k for k, bucket in enumerate(self.buckets) for n in bucket.numbers}
        self._parameters = reducer.parameters
        self._came: set[int] = set()
        for number, p in enumerate(self._parameters):
            add_hook(leaf_hooks(p).post, partial(self._gradient_came, number))

    @no_grad()
    def _gradient_came(self, number: int, *_: Any) -> None:
        """Begin to reduce the buckets that are full."""
        if number in self._came:
            raise RuntimeError("compile: a gradient comes twice in one pass of DistributedDataParallel")
        self._came.add(number)
        self._pending[self._place[number]] -= 1
        while len(self._begun) < len(self.buckets) and not self._pending[len(self._begun)]:
            bucket = self.buckets[len(self._begun)]
            flat = cat([p.grad.detach().reshape(-1) for p in bucket.parameters])
            if self.group.size() > 1:
                flat = flat * (1.0 / self.group.size())
            self._begun.append(begin_exchange(flat, SUM, self.group))
            if len(self._begun) == len(self.buckets):
                queue_callback(self._finish)

    @no_grad()
    def _finish(self) -> None:
        """Put the averages into the gradients."""
        for bucket, begun in zip(self.buckets, self._begun, strict=True):
            averages = bucket.views_of(end_exchange(begun, self.group))
            for p, average in zip(bucket.parameters, averages, strict=True):
                p.grad.copy_(average)
        self.leave()
        self.is_complete = True

    def leave(self) -> None:
        """Take the hooks off."""
        for p in self._parameters:
            hooks, p._leaf_hooks = p._leaf_hooks, None
            node = None if p._accumulator is None else p._accumulator()
            if node is not None and node._hooks is hooks:
                node._hooks = None


@no_grad()
def traced_broadcast(group: Any, buffers: list[Any], source: int = 0) -> None:
    """Put the values that one process has into buffers of all (`broadcast_coalesced`)."""
    for numbers in compute_bucket_assignment_by_size(buffers, [BROADCAST_BYTES])[0]:
        part = [buffers[n] for n in numbers]
        flat = exchange(cat([t.detach().reshape(-1) for t in part]), ("broadcast", source), group)
        if group.rank() == source:
            continue
        copy_apart(flat, part)
