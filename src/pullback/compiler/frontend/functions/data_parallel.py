"""Calls of data parallel modules in a traced function.

Loaded with the first of them: most programs have none, and torch.nn.parallel takes 12 ms to import.
"""

from collections.abc import Callable
from typing import Any

from ....core.modes import modes
from ....nn.parallel.distributed import DistributedDataParallel
from ....nn.parallel.traced_reduction import TracedPass, traced_broadcast
from ..operations.attributes import load_attribute, store_attribute
from ..operations.calls import call
from ..state.session import Session
from ..unsupported import OnlyNow
from .collectives import in_parts
from .rules import rule


@rule(DistributedDataParallel.forward)
def _forward(session: Session, f: object, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Write forward down, and the reduction that backward will do."""
    ddp, *inputs = args

    def of(name: str, thing: object = ddp) -> Any:
        return load_attribute(thing, name)

    reducer, group = of("reducer"), of("process_group")

    def own(name: str) -> Any:
        return load_attribute(reducer, name)

    grad, syncs = modes().grad, of("require_backward_grad_sync")
    _check(session, ddp, of, own)
    if grad and own("_is_unfinished"):
        raise session.refusal("the last pass of DistributedDataParallel is unfinished", OnlyNow)
    if grad and not own("has_rebuilt") and (syncs or own("_order")):
        # The first pass finds out the order of buckets, which the second forward tells all processes.
        raise session.refusal("DistributedDataParallel has not made its buckets anew", OnlyNow)
    own("buckets")
    for p in reducer.parameters:
        session.seen(p)
        session.reduced[id(p)] = p
    if of("require_forward_param_sync") and of("forward_sync_buffers"):
        buffers = [b for name, b in ddp.module.named_buffers() if name not in ddp.parameters_to_ignore]
        if buffers and group.size() > 1:
            for b in buffers:
                session.seen(b)
            traced_broadcast(group, buffers)
    output = call(of("module"), tuple(inputs), kwargs)
    if of("require_forward_param_sync") is not (grad and syncs):
        store_attribute((grad and syncs, ddp, "require_forward_param_sync"))
    if grad and syncs:
        for earlier in session.passes:
            if earlier.group is group and not earlier.is_complete:
                raise in_parts(session, "forward runs twice before backward")
        session.passes.append(TracedPass(reducer))
        session.effect(reducer.count_pass)
    return output


def _check(session: Session, ddp: Any, of: Callable[[str], Any], own: Callable[[str], Any]) -> None:
    """Refuse what is not done in one way by every call."""
    reducer = ddp.reducer
    dense = not any(reducer.expect_sparse) and all(p.is_contiguous() for p in reducer.parameters)
    hooked = of("_buffer_hook") is not None or own("_comm_hook") is not None
    for found, why in (
        (of("static_graph"), "its graph is static"),
        (of("find_unused_parameters"), "it looks for unused parameters"),
        (of("gradient_as_bucket_view"), "its gradients are views of buckets"),
        (hooked, "it has a communication hook"),
        (load_attribute(of("_join_config"), "enable"), "processes have different numbers of inputs"),
        (own("_expects_hooks"), "a forward before the function waits for its backward"),
        (not dense, "a gradient is sparse, or not contiguous"),
    ):
        if found:
            raise in_parts(session, why)
