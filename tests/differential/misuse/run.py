"""What a module says of calls: in this process, or in others, which a crash ends without ending this one."""

from __future__ import annotations

import io
import json
import os
import re
import resource
import signal
import sys
import tempfile
import warnings
from collections.abc import Sequence
from contextlib import redirect_stdout
from typing import Any

from .call import names

#: Seconds a child may take for one call.
LONGEST = 20
ADDRESS = re.compile(r"0x[0-9a-f]+")
ELSEWHERE = re.compile(r"\n?(Exception raised from |C\+\+ CapturedTraceback).*", re.DOTALL)


def described(value: Any, module: Any) -> Any:
    """A result in few words."""
    if isinstance(value, module.Tensor):
        return f"{str(value.dtype).removeprefix('torch.')}{list(value.shape)}"
    if isinstance(value, (tuple, list)):
        return [described(item, module) for item in value[:8]]
    return type(value).__name__


def outcome(expression: str, module: Any, scope: Any) -> list[Any]:
    """["error", class, text] or ["value", what], of an expression."""
    try:
        with redirect_stdout(io.StringIO()):
            value = eval(expression, dict(scope))
            return ["value", described(value, module)]
    except Exception as error:  # noqa: BLE001  # the class and the text are what is compared
        text = ELSEWHERE.sub("", ADDRESS.sub("0x", str(error)))
        return ["error", type(error).__name__, text]


def outcomes(expressions: Sequence[str], module: Any) -> list[Any]:
    """The outcomes of expressions, one after the other in this process."""
    scope = names(module)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return [outcome(expression, module, scope) for expression in expressions]


def apart(expressions: Sequence[str], module: Any) -> list[Any]:
    """The outcomes of expressions in child processes; ["crash"] where a child ended or hung."""
    found: list[Any] = []
    while len(found) < len(expressions):
        with tempfile.TemporaryFile("w+") as written:
            child = os.fork()
            if not child:
                _child(expressions[len(found) :], module, written)
            os.waitpid(child, 0)
            written.seek(0)
            found += [json.loads(line) for line in written if line.endswith("\n")]
        if len(found) < len(expressions):
            found.append(["crash"])
    return found


def _child(expressions: Sequence[str], module: Any, written: Any) -> None:
    code = 1
    try:
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_AS, (16 << 30, 16 << 30))
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, 2)
        scope = names(module)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for expression in expressions:
                signal.alarm(LONGEST)
                written.write(json.dumps(outcome(expression, module, scope)) + "\n")
                written.flush()
        code = 0
    finally:
        sys.stderr.flush()
        os._exit(code)
