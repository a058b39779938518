"""torch.distributed.checkpoint.hf_storage: checkpoints in Hugging Face's layout, which are not written here.

The names are there because libraries import them whether or not they use them.
"""

from __future__ import annotations

from typing import Any, NoReturn

from ...errors import with_note

_INSTEAD = "gather the state and write it with safetensors.torch.save_file, or use FileSystemWriter"


class HuggingFaceStorageWriter:
    """Refuse to be made.

    Raises
    ------
    NotImplementedError
    """

    def __new__(cls, *args: Any, **kwargs: Any) -> NoReturn:
        raise with_note(NotImplementedError(cls.__name__), _INSTEAD)


class HuggingFaceStorageReader(HuggingFaceStorageWriter):
    """Refuse to be made.

    Raises
    ------
    NotImplementedError
    """


__all__ = ["HuggingFaceStorageReader", "HuggingFaceStorageWriter"]
