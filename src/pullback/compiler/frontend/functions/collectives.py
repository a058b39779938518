"""Exchanges between processes in a traced function; `data_parallel` has those of data parallel modules.

They become equations of the program, which each run does in their order. What is done otherwise in each call,
or depends on numbers that only a run knows, is not written down: the function runs in parts then.
"""

from typing import Any

from ....array.deferred_import import import_later
from ....autograd.grad_mode import no_grad
from ....core.op import TABLE
from ....core.process_group import exchange_in_place
from ....core.recorder import Recorder
from ....core.tracer import Exchanges, is_traced
from ..state.session import Session
from .rules import rule

#: Traces without exchanges do not load what writes them down: 0.8 ms of each process's first.
_reduction: Any = import_later("....nn.parallel.traced_reduction", __package__)

_WHOLE = "DistributedDataParallel exchanges gradients between processes; its module is compiled by itself"


def in_parts(session: Session, why: str) -> Exception:
    """Return the error that has a function run in parts: its module is compiled by itself."""
    return session.refusal(f"{_WHOLE}: {why}", Exchanges)


def check(session: Session, recorder: Recorder) -> None:
    """Refuse, at the end of a trace, what has exchanged only a part, or might exchange twice.

    A call whose numbers turn out to be other than at the trace is done again from its beginning, which the
    other processes do not do.
    """
    for each in session.passes:
        if not each.is_complete:
            raise in_parts(session, "the function does not do its backward, or not all of it")
    if any(TABLE[equation.op].exchanges for equation in recorder.equations) and (
        session.late or session.may_raise
    ):
        raise in_parts(session, "the numbers of tensors decide what happens next")


@rule(exchange_in_place)
def _exchange_in_place(session: Session, f: object, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Write a collective down that changes one tensor."""
    tensor, how, group = args
    if tensor.requires_grad and not (tensor.is_leaf and session.cells.is_cell(tensor)):
        raise session.refusal("a collective changes a tensor that has a history", Exchanges)
    if not is_traced(tensor) and not session.is_fresh(tensor):
        session.seen(tensor)
    with no_grad():
        tensor.copy_(_reduction.exchange(tensor.detach().contiguous(), how, group))
    return True
