"""torch.distributed.algorithms.model_averaging.utils: average parameters over the processes of a group."""

from collections.abc import Iterable, Iterator
from typing import Any

from ....autograd.grad_mode import no_grad
from ....core.process_group import needed_group
from ....nn.parallel.synchronization import copy_apart
from ....nn.parameter import Parameter
from ....tensor.join import cat
from ...collectives import all_reduce
from ...process_group import GroupMember


@no_grad()
def average_parameters(params: Iterator[Any], process_group: Any) -> None:
    """Replace parameters by their means over a group, in one exchange.

    Parameters
    ----------
    params : iterator of Parameter
    process_group : ProcessGroup or None
        By default the default group. A process that is not in it does nothing.
    """
    if process_group is GroupMember.NON_GROUP_MEMBER:
        return
    group = process_group or needed_group()
    given = [p.detach() for p in params]
    flat = cat([p.reshape(-1) for p in given])
    flat /= group.size()
    all_reduce(flat, group=group)
    copy_apart(flat, given)


def get_params_to_average(params: Iterable[Any]) -> list[Any]:
    """Return those of some parameters, or of an optimizer's groups, that have a gradient.

    Raises
    ------
    NotImplementedError
        One is neither a parameter nor a group of them.
    """
    found: list[Any] = []
    for one in params:
        if isinstance(one, Parameter):
            found.append(one)
        elif isinstance(one, dict):
            found += one["params"]
        else:
            raise NotImplementedError(f"Parameter input of type {type(one)} is not supported")
    return [p for p in found if p.grad is not None]


def average_parameters_or_parameter_groups(params: Iterable[Any], process_group: Any) -> None:
    """Average those of some parameters, or of an optimizer's groups, that have a gradient."""
    average_parameters(iter(get_params_to_average(params)), process_group)


__all__ = ["average_parameters", "average_parameters_or_parameter_groups", "get_params_to_average"]
