"""Write traced programs as files: a zip archive of their text, their tensors and their results' form.

Nothing in a file is executed when it is read. The text of a program is read by the rules of programs, the
tensors are in the format of safetensors, all else is JSON.
"""

import io
import json
import os
import zipfile
from collections.abc import Mapping
from typing import Any

import numpy as np

from ...array import tensor_file
from ...compiler.program.program import Program
from ...compiler.program.text import Unprintable, printed
from ...core.value import array_of, wrap
from ...errors import with_note
from ...nn import Parameter
from ..structure import read_result, result_as_json
from .dynamic_shapes import Labels
from .example_trace import Example
from .varying import Family, compared, fixed

#: The member that says what a file is, and what it says.
_ABOUT, _FORMAT = "program.json", "pullback traced program 1"


class Saved:
    """Hold what is in a file; `extra` is what else was to be kept."""

    def __init__(
        self, family: Family, dynamic: Labels, state: Mapping[str, Any], extra: Mapping[str, Any]
    ) -> None:
        self.family, self.dynamic, self.state, self.extra = family, dynamic, dict(state), dict(extra)


def save(
    f: Any, traces: list[Example], dynamic: Labels, state: Mapping[str, Any], extra: Mapping[str, Any],
    files: Mapping[str, str | bytes] | None = None,
) -> None:  # fmt: skip
    """Write a program, by its traces at several sizes where some may change, and further members of the
    archive.

    Raises a RuntimeError where it holds something that a file cannot, such as a generator of random numbers.
    """
    first = traces[0]
    texts = []
    for trace in traces:
        try:
            printed(trace.program)
        except Unprintable as error:
            raise with_note(
                RuntimeError("the program holds something that cannot be written to a file"),
                "A random draw holds its generator: call model.eval() before tracing.",
            ) from error
        texts.append(str(trace.program))
    about = {
        "format": _FORMAT, "parameters": [n for n in state if isinstance(state[n], Parameter)],
        "trained": [n for n, t in state.items() if t.requires_grad], "state": [*state],
        "paths": first.paths, "result": result_as_json(first.result), "mutated": first.mutated,
        "dynamic": {path: {str(a): label for a, label in axes.items()} for path, axes in dynamic.items()},
        "extra": dict(extra), "traces": len(texts),
    }  # fmt: skip
    memory = io.BytesIO()
    with zipfile.ZipFile(memory, "w") as archive:
        archive.writestr(_ABOUT, json.dumps(about))
        for n, text in enumerate(texts):
            archive.writestr(f"program{n}.py", text, zipfile.ZIP_DEFLATED)
        arrays = {name: array_of(t) for name, t in state.items()}
        archive.writestr("state.safetensors", tensor_file.packed(arrays))
        for name, content in (files or {}).items():
            archive.writestr(f"extra/{name}", content)
    if hasattr(f, "write"):
        f.write(memory.getvalue())
    else:
        with open(os.fspath(f), "wb") as file:
            file.write(memory.getvalue())


def load(f: Any, files: dict[str, Any] | None = None) -> Saved:
    """Read a program, and put the contents of further members into `files`, whose keys name them.

    Raises a RuntimeError where it is no file that `save` has written.
    """
    try:
        with zipfile.ZipFile(f if hasattr(f, "read") else os.fspath(f)) as archive:
            if _ABOUT not in archive.namelist():
                raise with_note(
                    RuntimeError(f"{f} is not a program that pullback has saved"),
                    "Programs that torch has saved hold TorchScript or torch's own graphs, which pullback "
                    "does not read: export the model here, or save its state_dict there.",
                )
            about = json.loads(archive.read(_ABOUT))
            if about.get("format") != _FORMAT:
                raise RuntimeError(f"{f} is of another version: {about.get('format')!r}")
            texts = [archive.read(f"program{n}.py").decode() for n in range(about["traces"])]
            arrays, _ = tensor_file.unpacked(archive.read("state.safetensors"))
            for name in files or {}:
                if f"extra/{name}" in archive.namelist():
                    files[name] = archive.read(f"extra/{name}")  # type: ignore[index]  # not None here
    except zipfile.BadZipFile as error:
        raise RuntimeError(f"{f} is not a program that pullback has saved") from error
    state: dict[str, Any] = {}
    for name in about["state"]:
        t = wrap(np.array(arrays[name]))
        trained = name in about["trained"]
        state[name] = Parameter(t, requires_grad=trained) if name in about["parameters"] else t
    traces = [
        Example(
            Program.read(text), state, frozenset(about["parameters"]), [], about["paths"],
            read_result(about["result"]), about["mutated"], {}, [],
        )
        for text in texts
    ]
    family: Family = fixed(traces[0]) if len(traces) == 1 else compared(traces)
    dynamic = {p: {int(a): label for a, label in axes.items()} for p, axes in about["dynamic"].items()}
    return Saved(family, dynamic, state, about["extra"])
