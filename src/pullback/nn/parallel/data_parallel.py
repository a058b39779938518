"""torch.nn.parallel.data_parallel: a module on all accelerators, as torch behaves where there is none."""

from typing import Any, NoReturn

from ...errors import with_note
from ..modules.module import Module


class DataParallel(Module):
    """A module that calls another; without accelerators that is all.

    Parameters
    ----------
    module : Module
        Its parameters are named ``module.…``.
    device_ids, output_device, dim
        Make no difference.

    Attributes
    ----------
    device_ids : list
        Empty.
    """

    def __init__(
        self, module: Module, device_ids: Any = None, output_device: Any = None, dim: int = 0
    ) -> None:
        super().__init__()
        self.module = module
        self.device_ids: list[int] = []

    def forward(self, *inputs: Any, **kwargs: Any) -> Any:
        """Return what the module gives."""
        return self.module(*inputs, **kwargs)


def data_parallel(
    module: Module, inputs: Any, device_ids: Any = None, output_device: Any = None, dim: int = 0,
    module_kwargs: Any = None,
) -> NoReturn:  # fmt: skip
    """Raise for the output of a module on all accelerators."""
    raise with_note(
        RuntimeError("device type could not be determined"),
        "pullback computes on the CPU; call the module itself.",
    )


DataParallel.__module__ = "torch.nn.parallel.data_parallel"

__all__ = ["DataParallel", "data_parallel"]
