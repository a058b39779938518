"""Average the gradients of a module over the processes of a group, while backward still runs.

Every parameter's gradient is copied into its place in a bucket when it is there; a bucket that is full is
reduced without waiting for the result, so that communication overlaps with the rest of backward. When all
buckets are under way, the end of backward waits for them and copies the averages back. All processes reduce
the same buckets in the same order; after the first pass the order is the one in which gradients came.
"""

from __future__ import annotations

import os
import weakref
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from time import time_ns
from typing import Any

from ...autograd.grad_mode import no_grad
from ...core.backward_task import queue_callback
from ...core.hooks import add_hook, leaf_hooks
from ...core.process_group import ProcessGroup
from ...tensor.creation import tensor
from ...tensor.creation_like import empty_like
from . import reduction_errors as errors
from .buckets import Bucket, GradBucket, compute_bucket_assignment_by_size
from .pass_times import PassTimes
from .reachable import leaves_behind
from .synchronization import all_reduced_sparse, broadcast


class Reducer:
    """Reduce the gradients of parameters in buckets, which are numbers of parameters in the order of
    reduction.

    `size_limits` are the bytes of the first and of later buckets, when they are made anew after the first
    pass, in the order in which gradients came: then it `has_rebuilt`. It is `static` where every pass uses
    the same parameters equally often, which the first one counts. `passes` were reduced, in `times`, the last
    with gradients in `ready_order`; `first_sizes` are the sizes of the buckets of the first, in bytes.
    """

    def __init__(
        self, parameters: list[Any], buckets: list[list[int]], group: ProcessGroup,
        expect_sparse_gradient: list[bool], size_limits: tuple[int, ...], *,
        find_unused_parameters: bool = False, gradient_as_bucket_view: bool = False,
        names: dict[int, str] | None = None,
    ) -> None:  # fmt: skip
        self.parameters = parameters
        self.group = group
        self.expect_sparse = expect_sparse_gradient
        self.size_limits = size_limits
        self.finds_unused = find_unused_parameters
        self.as_views = gradient_as_bucket_view
        self.names = names or {}
        self.static = False
        self.has_rebuilt = False
        self.passes = 0
        self.times = PassTimes()
        self._comm_hook: tuple[Any, Any] | None = None
        self._forward_work: tuple[Any, Any, bool] | None = None
        self._futures: list[Any] = []
        # of the pass that is under way
        self._expects_hooks = False
        self._is_unfinished = False
        self._ready: set[int] = set()
        self._unused: list[int] = []
        self._marked_unused = False
        self._begins = True
        self._divisor: int | None = None
        self._next = 0
        self._used_work: Any = None
        # over several passes
        self._used = [0] * len(parameters)
        self._used_map: Any = None
        self._uses: list[int] | None = None
        self._uses_left: list[int] = []
        self._counted = [0] * len(parameters)
        self.ready_order: list[int] = []
        self.buckets: list[Bucket] = []
        self.first_sizes: list[int] = []
        self._make_buckets(buckets)
        handles = [
            add_hook(leaf_hooks(p).post, partial(_gradient_came, weakref.ref(self), number))
            for number, p in enumerate(parameters)
        ]
        self.remove_hooks = weakref.finalize(self, _remove, handles)

    def _make_buckets(self, numbers: Iterable[list[int]]) -> None:
        self.buckets = [
            Bucket(ns, [self.parameters[n] for n in ns], any(self.expect_sparse[n] for n in ns))
            for ns in numbers
        ]
        self._place = {n: (bucket, i) for bucket in self.buckets for i, n in enumerate(bucket.numbers)}
        if not self.first_sizes:
            self.first_sizes = self.sizes()
        for bucket in self.buckets if self.as_views else ():
            for p, view in zip(bucket.parameters, bucket.views, strict=False):
                if p.grad is not None:
                    view.copy_(p.grad.detach())
                    p.grad = view

    def sizes(self) -> list[int]:
        """Return the size of each bucket in bytes."""
        return [bucket.size_in_bytes() for bucket in self.buckets]

    #: What the last error said, for the data that programs ask for.
    error = ""

    def _told(self, error: RuntimeError) -> RuntimeError:
        """Return an error after its text is noted."""
        self.error = str(error)
        return error

    # ------------------------------------------------------------------------------ before a pass

    def set_static(self) -> None:
        """Promise that every pass uses the same parameters, equally often."""
        if self.passes or self._expects_hooks:
            raise self._told(RuntimeError(
                "set_static_graph() should be called before training loop starts and after "
                "DistributedDataParallel is constructed."
            ))  # fmt: skip
        self.static = True

    def register_comm_hook(self, state: Any, hook: Callable[[Any, GradBucket], Any]) -> None:
        """Have `hook` reduce the buckets."""
        if self._comm_hook is not None:
            raise self._told(
                RuntimeError("register_comm_hook or register_builtin_comm_hook can only be called once.")
            )
        self._comm_hook = (state, hook)

    def check_finished(self) -> None:
        """Raise where gradients of the last pass are missing."""
        if not self._is_unfinished:
            return
        missing = [n for n in range(len(self.parameters)) if n not in self._ready]
        names = [self.names[n] for n in missing] if self._debugs() else None
        # torch names them in the order of their names
        raise self._told(errors.unfinished(
            self.group.rank(), missing, names and sorted(names), static=self.static,
            finds_unused=self.finds_unused,
        ))  # fmt: skip

    @staticmethod
    def _debugs() -> bool:
        return os.environ.get("TORCH_DISTRIBUTED_DEBUG", "OFF").upper() in ("INFO", "DETAIL")

    def set_forward_work(self, work: Any, count: Any, divide_by_initial_world_size: bool) -> None:
        """Take the reduction that counts the processes which still have inputs."""
        self._forward_work = (work, count, divide_by_initial_world_size)

    def add_futures(self, futures: Iterable[Any]) -> None:
        """Have the end of backward wait for futures."""
        self._futures += futures

    def prepare_for_backward(self, outputs: Sequence[Any]) -> None:
        """Expect the gradients of the pass whose forward gave `outputs`."""
        self._expects_hooks = True
        self._next = 0
        for bucket in self.buckets:
            bucket.pending = len(bucket.numbers)
        self._marked_unused = False
        self._ready.clear()
        self._begins = True
        if self._uses is not None:
            self._uses_left = list(self._uses)
        if self.finds_unused and not self.static:
            found = leaves_behind(outputs)
            self._unused = [n for n, p in enumerate(self.parameters) if id(p) not in found]

    @property
    def _rebuilds(self) -> bool:
        return (self.static or not self.finds_unused) and not self.has_rebuilt

    def rebuild_buckets(self) -> bool:
        """Make buckets anew in the order in which gradients came, once; return whether that was now."""
        self.check_finished()
        if not self._rebuilds or not self._order:
            return False
        order = list(dict.fromkeys(self._order))
        order += [n for n in range(len(self.parameters)) if n not in set(order)]
        numbers, _ = compute_bucket_assignment_by_size(
            [self.parameters[n] for n in order], self.size_limits, self.expect_sparse, order
        )
        self._make_buckets(self._as_in_first_process(numbers))
        self.has_rebuilt = True
        return True

    #: In which order gradients came in the first pass that was reduced.
    _order: Sequence[int] = ()

    def push_all_rebuilt(self) -> None:
        """Take part in making buckets anew in a process that has no inputs left."""
        if self._rebuilds and not self._order:
            self._order = range(len(self.parameters))

    def _as_in_first_process(self, numbers: list[list[int]]) -> list[list[int]]:
        """Return what the process of rank 0 has: gradients may come in another order elsewhere."""
        flat = tensor([n for ns in numbers for n in ns])
        sizes = tensor([len(ns) for ns in numbers] + [0] * (len(flat) - len(numbers)))
        broadcast(self.group, flat, 0)
        broadcast(self.group, sizes, 0)
        members = iter(flat.tolist())
        return [[next(members) for _ in range(size)] for size in sizes.tolist() if size]

    # ------------------------------------------------------------------------------ during backward

    @no_grad()
    def gradient_came(self, number: int) -> None:
        """Go on where backward has added to the gradient of a parameter."""
        counts_uses = self.static and self._uses is None
        if (self.finds_unused and not self.static) or counts_uses:
            self._used[number] |= self.parameters[number].grad is not None
        if not self._expects_hooks:
            return
        if self._begins:
            self._begins = False
            self.ready_order = []
            self.times.backward_start = time_ns()
        self.ready_order.append(number)
        if counts_uses:
            self._counted[number] += 1
            return
        if not self._marked_unused:
            self._marked_unused = True
            for unused in self._unused:
                self._mark_ready(unused)
        if self._rebuilds:
            self._order = [*self._order, number]
        if self._uses is None:
            self._mark_ready(number)
            return
        if self._uses_left[number] == 0:
            raise self._told(errors.newly_used())
        self._uses_left[number] -= 1
        if self._uses_left[number] == 0:
            self._mark_ready(number)

    def _mark_ready(self, number: int) -> None:
        """Put a gradient into its bucket, and reduce what is full."""
        if number in self._ready:
            name = self.names.get(number) if self._debugs() else None
            raise self._told(errors.marked_twice(number, name, finds_unused=self.finds_unused))
        self._ready.add(number)
        self._is_unfinished = True
        self._collect(number)
        bucket, _ = self._place[number]
        bucket.pending -= 1
        while self._next < len(self.buckets) and self.buckets[self._next].pending == 0:
            self._reduce(self._next)
            self._next += 1
        if self._next == len(self.buckets):
            if self.finds_unused and not self.static:
                self._reduce_used()
            queue_callback(self.finish)

    def _collect(self, number: int) -> None:
        """Copy a gradient into its bucket."""
        parameter = self.parameters[number]
        grad = parameter.grad
        bucket, place = self._place[number]
        if bucket.sparse:
            if grad is None or not grad.is_sparse:
                raise RuntimeError(
                    "Expected sparse gradient to be defined." if grad is None
                    else "Expected variable to have sparse gradient."
                )  # fmt: skip
            bucket.sparse_gradient = grad.detach()
            return
        view = bucket.views[place]
        if grad is None:
            view.zero_()
        elif grad.is_sparse or grad.dtype != view.dtype:
            raise RuntimeError(
                f"Expected dense gradient of dtype {view.dtype} for parameter {number}, got "
                f"{'a sparse one' if grad.is_sparse else grad.dtype}"
            )
        elif not grad.is_set_to(view):
            view.copy_(grad.detach())
            if self.as_views:
                parameter.grad = view

    def _division(self) -> int:
        """Return by what sums of gradients are divided: the number of processes, or of those with inputs."""
        if self._divisor is None:
            self._divisor = self.group.size()
            if self._forward_work is not None:
                work, count, by_initial = self._forward_work
                work.wait()
                if not by_initial:
                    self._divisor = int(count.item())
        return self._divisor

    def _reduce(self, index: int) -> None:
        """Begin the reduction of a bucket, divided by the number of processes where no hook does that."""
        bucket = self.buckets[index]
        self.times.exchange_start = self.times.exchange_start or time_ns()
        buffer = bucket.sparse_gradient if bucket.sparse else bucket.flat
        if self._comm_hook is None and (count := self._division()) != 1:
            buffer = buffer * (1.0 / count) if bucket.sparse else buffer.mul_(1.0 / count)
        bucket.future = self.run_comm_hook(GradBucket(index, len(self.buckets), bucket, buffer))

    def run_comm_hook(self, bucket: GradBucket) -> Any:
        """Begin to reduce a bucket, by the hook where there is one; return what is waited for."""
        if self._comm_hook is None:
            if bucket.buffer().is_sparse:
                return _Reduced(all_reduced_sparse(self.group, bucket.buffer()))
            return _Reduced(bucket.buffer(), self.group.allreduce(bucket.buffer()))
        state, hook = self._comm_hook
        future = hook(state, bucket)
        if not hasattr(future, "wait"):
            raise errors.no_future(future)
        return future

    def zero_buckets(self) -> list[GradBucket]:
        """Return buckets of zeros, which a process without inputs contributes."""
        found = []
        for index, bucket in enumerate(self.buckets):
            if not bucket.sparse:
                bucket.flat.zero_()
                found.append(GradBucket(index, len(self.buckets), bucket, bucket.flat))
        return found

    def _reduce_used(self) -> None:
        """Begin to find out which parameters some process has used."""
        self._used_map = tensor([int(used) for used in self._used])
        self._used_work = self.group.allreduce(self._used_map)

    def match_used(self) -> None:
        """Take part in finding that out in a process without inputs, which has used none."""
        self._used = [0] * len(self.parameters)
        self._reduce_used()
        self._used_work.wait()

    # ------------------------------------------------------------------------------ after backward

    @no_grad()
    def reduce_all(self) -> None:
        """Reduce all buckets after a static graph's first pass, which counted the uses of parameters."""
        self._reduce_used()
        self._uses = self._counted
        self._unused = [n for n, count in enumerate(self._counted) if not count]
        self._is_unfinished = True
        for number in range(len(self.parameters)):
            self._collect(number)
        for index in range(len(self.buckets)):
            self._reduce(index)
        self.finish()

    def count_pass(self) -> None:
        """Count a pass that a compiled function has done."""
        self.passes += 1

    @no_grad()
    def finish(self) -> None:
        """Wait for all buckets and put the averages into the gradients."""
        self.times.backward_end = time_ns()
        self._expects_hooks = False
        self._is_unfinished = False
        self._forward_work = self._divisor = None
        self.passes += 1
        for bucket in self.buckets:
            result = bucket.future.wait()
            result = result[0] if isinstance(result, (list, tuple)) else result
            if bucket.sparse:
                bucket.parameters[0].grad = result
                bucket.sparse_gradient = None
            else:
                self._put_back(bucket, result)
            bucket.future = None
        for future in self._futures:
            future.wait()
        self.times.exchange_end = time_ns()
        self._futures = []
        if not self.static:  # of which the first pass has told for all
            self._used = [0] * len(self.parameters)
            self._used_work = None

    def _put_back(self, bucket: Bucket, result: Any) -> None:
        """Copy the averages of a bucket into the gradients."""
        own = result is bucket.flat or result.is_set_to(bucket.flat)
        averages = bucket.views if own else bucket.views_of(result)
        for number, parameter, view, average in zip(
            bucket.numbers, bucket.parameters, bucket.views, averages, strict=True
        ):
            if self._is_unused_everywhere(number):
                continue
            if self.as_views:
                if not own:
                    view.copy_(average)
                if parameter.grad is None:
                    parameter.grad = view
            else:
                if parameter.grad is None:
                    parameter.grad = empty_like(parameter)
                parameter.grad.detach().copy_(average)

    def _is_unused_everywhere(self, number: int) -> bool:
        """Return whether no process has used a parameter: its gradient stays as it is."""
        if self._used_work is None or self._used[number]:
            return False
        self._used_work.wait()
        return int(self._used_map[number]) == 0


class _Reduced:
    """A bucket that is reduced, or whose reduction is under way in place."""

    def __init__(self, value: Any, work: Any = None) -> None:
        self.value = value
        self.work = work

    def wait(self) -> Any:
        if self.work is not None:
            self.work.wait()
        return self.value


def _gradient_came(reducer: Any, number: int, *_: Any) -> None:
    """Tell a reducer, where there still is one, of a gradient: the hook of a parameter."""
    if (there := reducer()) is not None:
        there.gradient_came(number)


def _remove(handles: list[Any]) -> None:
    for handle in handles:
        handle.remove()
