"""Put a node behind the outputs of a parallel module, which backward comes to first.

In the first pass of a static graph a gradient that has come does not say that it is the last of its
parameter: the node has all of them reduced at the end of backward.
"""

import weakref
from typing import Any

from ...autograd.function import Function
from ...core.backward_task import queue_callback
from .reachable import tensors_in, with_tensors


class _DDPSink(Function):
    """Pass outputs on; begins the reduction that the first pass of a static graph leaves to the end."""

    @staticmethod
    def forward(ctx: Any, ddp: Any, *inputs: Any) -> Any:
        ctx.set_materialize_grads(False)
        ctx.ddp = ddp
        return tuple(t.clone() for t in inputs) if ddp()._ddp_sink_clone else inputs

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        ddp = ctx.ddp()
        if ddp.static_graph and not ddp._delay_queued:
            ddp._delay_queued = True
            queue_callback(ddp.reducer.reduce_all)
        return (None, *grads)


def through_sink(ddp: Any, output: Any) -> Any:
    """Return what a module gives, with the tensors in it behind such a node."""
    found = [t for t in tensors_in(output) if t.grad_fn is not None]
    if not found:
        return output
    passed = {id(t): p for t, p in zip(found, _DDPSink.apply(weakref.ref(ddp), *found), strict=True)}
    return with_tensors(output, lambda t: passed.get(id(t), t))
