"""Exchanges between processes in a traced function: data parallel modules, and collectives of one tensor.

They become equations of the program, which each run does in their order. What is done otherwise in each call,
or depends on numbers that only a run knows, is not written down: the function runs in parts then.
"""

from collections.abc import Callable
from typing import Any

from ....array.deferred_import import import_later
from ....autograd.grad_mode import no_grad
from ....core.modes import modes
from ....core.op import TABLE
from ....core.process_group import exchange_in_place
from ....core.recorder import Recorder
from ....core.tracer import Exchanges, is_traced
from ....nn.parallel.distributed import DistributedDataParallel
from ..operations.attributes import load_attribute, store_attribute
from ..operations.calls import call
from ..state.session import Session
from ..unsupported import OnlyNow
from .rules import rule

#: Traces without exchanges do not load what writes them down: 0.8 ms of each process's first.
_reduction: Any = import_later("....nn.parallel.traced_reduction", __package__)

_WHOLE = "DistributedDataParallel exchanges gradients between processes; its module is compiled by itself"


def _in_parts(session: Session, why: str) -> Exception:
    return session.refusal(f"{_WHOLE}: {why}", Exchanges)


@rule(DistributedDataParallel.forward)
def _forward(session: Session, f: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Write forward down, and the reduction that backward will do."""
    ddp, *inputs = args

    def of(name: str, thing: Any = ddp) -> Any:
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
            _reduction.traced_broadcast(group, buffers)
    output = call(of("module"), tuple(inputs), kwargs)
    if of("require_forward_param_sync") is not (grad and syncs):
        store_attribute((grad and syncs, ddp, "require_forward_param_sync"))
    if grad and syncs:
        for earlier in session.passes:
            if earlier.group is group and not earlier.is_complete:
                raise _in_parts(session, "forward runs twice before backward")
        session.passes.append(_reduction.TracedPass(reducer))
        session.effect(reducer.count_pass)
    return output


def _check(session: Session, ddp: Any, of: Callable[[str], Any], own: Callable[[str], Any]) -> None:
    """Refuse what is not done in one way by every call."""
    reducer = ddp.reducer
    if of("find_unused_parameters") and not of("static_graph"):
        raise _in_parts(session, "it looks for unused parameters")
    if of("static_graph"):
        raise _in_parts(session, "its graph is static")
    if of("gradient_as_bucket_view"):
        raise _in_parts(session, "its gradients are views of buckets")
    if of("_buffer_hook") is not None or own("_comm_hook") is not None:
        raise _in_parts(session, "it has a communication hook")
    if load_attribute(of("_join_config"), "enable"):
        raise _in_parts(session, "processes have different numbers of inputs")
    if own("_expects_hooks"):
        raise _in_parts(session, "a forward before the function waits for its backward")
    if any(reducer.expect_sparse) or not all(p.is_contiguous() for p in reducer.parameters):
        raise _in_parts(session, "a gradient is sparse, or not contiguous")


def check(session: Session, recorder: Recorder) -> None:
    """Refuse, at the end of a trace, what has exchanged only a part, or might exchange twice.

    A call whose numbers turn out to be other than at the trace is done again from its beginning, which the
    other processes do not do.
    """
    for each in session.passes:
        if not each.is_complete:
            raise _in_parts(session, "the function does not do its backward, or not all of it")
    if any(TABLE[equation.op].exchanges for equation in recorder.equations) and (
        session.late or session.may_raise
    ):
        raise _in_parts(session, "the numbers of tensors decide what happens next")


@rule(exchange_in_place)
def _exchange_in_place(session: Session, f: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Write a collective down that changes one tensor."""
    tensor, how, group = args
    if tensor.requires_grad and not (tensor.is_leaf and session.cells.is_cell(tensor)):
        raise session.refusal("a collective changes a tensor that has a history", Exchanges)
    if not is_traced(tensor) and not session.is_fresh(tensor):
        session.seen(tensor)
    with no_grad():
        tensor.copy_(_reduction.exchange(tensor.detach().contiguous(), how, group))
    return True
