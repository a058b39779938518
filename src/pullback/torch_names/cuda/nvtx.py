"""torch.cuda.nvtx in a build without CUDA: marks cannot be set."""

from contextlib import ContextDecorator
from typing import Any, NoReturn

from ..absent_devices import refusing

_TEXT = "NVTX functions not installed. Are you sure you have a CUDA build?"

globals().update(
    refusing("mark range_end range_pop range_push range_start", "torch.cuda.nvtx", RuntimeError, _TEXT)
)


class range(ContextDecorator):
    """A range of the program; made where functions are decorated, refused where one is entered."""

    def __init__(self, msg: str, *args: Any, **kwargs: Any) -> None:
        self.message = msg.format(*args, **kwargs)

    def __enter__(self) -> NoReturn:
        raise RuntimeError(_TEXT)

    def __exit__(self, *_: object) -> None:
        """Do nothing, as nothing was entered."""
