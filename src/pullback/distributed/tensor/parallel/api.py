"""torch.distributed.tensor.parallel.api: dividing the layers of a module among processes."""

from fnmatch import fnmatch
from typing import Any

from ....core.warn import warn
from ....nn.modules.module import Module
from ...device_mesh import DeviceMesh, current_mesh
from .style import ParallelStyle


def parallelize_module(
    module: Module, device_mesh: DeviceMesh | None = None,
    parallelize_plan: ParallelStyle | dict[str, ParallelStyle] | None = None, *,
    src_data_rank: int | None = 0,
) -> Module:  # fmt: skip
    """Divide layers of a module among the processes of a mesh, in place.

    Parameters
    ----------
    module : Module
    device_mesh : DeviceMesh, optional
        Of one dimension.
    parallelize_plan : ParallelStyle or dict
        How the module is divided, or how its parts are, by names in which ``*`` stands for any part.
    src_data_rank : int, optional
        Whose values weights have; None: each process takes its own.

    Returns
    -------
    Module
        `module`.
    """
    mesh = device_mesh or current_mesh()
    if mesh is None:
        raise RuntimeError("parallelize_module needs a device_mesh")
    if parallelize_plan is None:
        warn(
            "No parallelize_plan is provided and auto-parallel is not supported at the moment, so this "
            "parallelize_module will do nothing."
        )
        return module
    if isinstance(parallelize_plan, ParallelStyle):
        parallelize_plan.src_data_rank = src_data_rank
        return parallelize_plan._apply(module, mesh)
    if not isinstance(parallelize_plan, dict):
        raise TypeError(
            "Expect Union[ParallelStyle, Dict[str, ParallelStyle]] for parallelize_plan, "
            f"{type(parallelize_plan)} found!"
        )
    for pattern, style in parallelize_plan.items():
        if pattern == "":
            parallelize_module(module, mesh, style, src_data_rank=src_data_rank)
            continue
        first, _, rest = pattern.partition(".")
        matching: list[Any] = [child for name, child in module.named_children() if fnmatch(name, first)]
        if not matching:
            warn(
                f"Parallelize plan key '{first}' could not be resolved: no submodule matching token "
                f"'{first}' in module {module}, skipping this plan entry."
            )
        for child in matching:
            parallelize_module(child, mesh, {rest: style} if rest else style, src_data_rank=src_data_rank)
    return module


__all__ = ["parallelize_module"]
