"""torch.distributed.elastic.multiprocessing.errors: errors of a process, told to the one that started it."""

import functools
import json
import os
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

__all__ = ["ChildFailedError", "record"]

#: The variable by which the launcher names the file for a process's error.
ERROR_FILE = "TORCHELASTIC_ERROR_FILE"


class ChildFailedError(Exception):
    """A process of a job failed; the launcher writes its text."""


def write_error(error: BaseException) -> None:
    """Tell the launcher, if there is one, by what this process ends; the first error counts."""
    if (name := os.environ.get(ERROR_FILE)) is None or os.path.exists(name):
        return
    text = "".join(traceback.format_exception(error))
    details = {"py_callstack": text, "timestamp": str(int(time.time()))}
    told = {"message": {"message": f"{type(error).__name__}: {error}", "extraInfo": details}}
    unfinished = Path(f"{name}.{os.getpid()}")
    unfinished.write_text(json.dumps(told))
    unfinished.replace(name)


def record(fn: Callable[..., Any], error_handler: Any = None) -> Callable[..., Any]:
    """Mark a program's main function, so that the launcher learns by which error it ended.

    Parameters
    ----------
    fn : callable
    error_handler : optional
        Taken for torch's sake.
    """

    @functools.wraps(fn)
    def recorded(*args: Any, **kwargs: Any) -> Any:
        try:
            return fn(*args, **kwargs)
        except SystemExit:
            raise
        except Exception as error:
            write_error(error)
            raise

    return recorded
