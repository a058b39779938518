"""Make the namespaces of accelerators in a build that has none.

A function of theirs either refuses with torch's error or gives the answer of a machine without the device;
both are made from tables, so that a namespace is its table. Arguments are not looked at: no device is there
that they could name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import nullcontext
from typing import Any, ClassVar, NoReturn

from ..core.device import device as _device
from ..errors import with_name


def _named(function: Callable[..., Any], name: str, module: str, doc: str) -> Callable[..., Any]:
    function.__module__ = module
    return with_name(function, name, doc)


def refusing(names: str, module: str, kind: type[Exception], text: str) -> dict[str, Callable[..., NoReturn]]:
    """Return functions that raise one error, by their names separated by blanks, of a module of torch."""

    def made(name: str) -> Callable[..., Any]:
        def refuse(*_: Any, **__: Any) -> NoReturn:
            raise kind(text)

        return _named(refuse, name, module, f"Raise {kind.__name__}: {text}")

    return {name: made(name) for name in names.split()}


def needing(device: str, internal: str, names: str) -> dict[str, Callable[..., NoReturn]]:
    """Return functions that raise for the function behind them in C, which a device's backend has."""
    text = f"Cannot execute {internal}() without {device} backend."
    return refusing(names, f"torch.{device.lower()}", RuntimeError, text)


def answering(names: str, module: str, answer: Callable[[], Any]) -> dict[str, Callable[..., Any]]:
    """Return functions that give what `answer` makes, as on a machine without the device.

    `answer` is ``int`` for functions that give 0, ``bool`` for False, ``nothing`` for None and so on.
    """

    def made(name: str) -> Callable[..., Any]:
        def give(*_: Any, **__: Any) -> Any:
            return answer()

        return _named(give, name, module, f"Return {answer()!r}, whatever the arguments.")

    return {name: made(name) for name in names.split()}


def nothing() -> None:
    """Return None."""


def uninstantiable(names: Iterable[str], module: str, text: str) -> dict[str, type]:
    """Return classes, for `isinstance` and annotations, whose instances need the device.

    In `text`, the RuntimeError's, ``{}`` stands for the class's name.
    """

    def made(name: str) -> type:
        def refuse(cls: type, *_: Any, **__: Any) -> NoReturn:
            raise RuntimeError(text.format(name))

        return type(
            name, (), {"__module__": module, "__new__": refuse, "__doc__": "Made only where the device is."}
        )

    return {name: made(name) for name in names}


class OnDevice:
    """A ``with`` block on a device: None or a negative index changes nothing, others are not there."""

    _type: ClassVar[str]
    _error: ClassVar[type[Exception]]

    def __init__(self, device: Any) -> None:
        if isinstance(device, str):
            device = _device(device)
        if isinstance(device, _device):
            if device.type != self._type:
                raise ValueError(f"Expected a {self._type} device, but got: {device}")
            device = -1 if device.index is None else device.index
        self.idx = -1 if device is None else int(device)

    def __enter__(self) -> None:
        if self.idx >= 0:
            raise self._error(f"PyTorch was compiled without {self._type.upper()} support")

    def __exit__(self, *_: object) -> None:
        return None


def on_device(kind: str, error: type[Exception]) -> tuple[type[OnDevice], type[OnDevice]]:
    """Return the classes `device` and `device_of`: blocks on a device, and on that of a tensor."""

    def begin(self: OnDevice, obj: Any) -> None:
        OnDevice.__init__(self, None)  # no tensor is there

    given = {"__module__": f"torch.{kind}", "__doc__": OnDevice.__doc__, "_type": kind, "_error": error}
    device = type("device", (OnDevice,), given)
    text = "A ``with`` block on the device of a tensor, which is never such a one."
    of_tensor = {"__module__": f"torch.{kind}", "__doc__": text, "__init__": begin}
    return device, type("device_of", (device,), of_tensor)


class StreamContext(nullcontext[None]):
    """A ``with`` block on a stream; None changes nothing, and no other stream can be made."""

    def __init__(self, stream: Any) -> None:
        super().__init__()
        self.stream = stream


def stream(stream: Any) -> StreamContext:
    """Return a ``with`` block on a stream."""
    return StreamContext(stream)
