"""Define `torch.PyTorchFileReader`: checkpoints by record, for libraries that load in pieces."""

import os
from typing import Any

from .archive import Archive


class PyTorchFileReader:
    """The records of a file that `torch.save` wrote.

    Parameters
    ----------
    file : str, path or file object
    """

    __module__ = "torch"

    def __init__(self, file: Any) -> None:
        if isinstance(file, (str, os.PathLike)) and not os.path.exists(file):
            raise RuntimeError(
                "open file failed because of errno 2 on fopen: No such file or directory, file path: "
                f"{os.fspath(file)}"
            )
        self._archive = Archive(file)

    def get_all_records(self) -> list[str]:
        """Return the names of all records."""
        return self._archive.names()

    def has_record(self, name: str) -> bool:
        """Return whether there is a record."""
        return self._archive.has(name)

    def get_record(self, name: str) -> bytes:
        """Return a record's bytes.

        Raises
        ------
        RuntimeError
            There is none of that name, or all that was read together is larger than the file.
        """
        return self._archive.read(name)
