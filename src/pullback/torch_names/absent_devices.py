"""Make the namespaces of accelerators in a build that has none.

A function of theirs either refuses with torch's error or gives the answer of a machine without the device;
both are made from tables, so that a namespace is its table. Arguments are not looked at: no device is there
that they could name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NoReturn


def _named(function: Callable[..., Any], name: str, module: str, doc: str) -> Callable[..., Any]:
    function.__name__ = function.__qualname__ = name
    function.__module__ = module
    function.__doc__ = doc
    return function


def refusing(names: str, module: str, kind: type[Exception], text: str) -> dict[str, Callable[..., NoReturn]]:
    """Functions that raise one error.

    Parameters
    ----------
    names : str
        Separated by blanks.
    module : str
        Where torch has them, such as ``"torch.cuda"``.
    kind, text
        The error.
    """

    def made(name: str) -> Callable[..., Any]:
        def refuse(*_: Any, **__: Any) -> NoReturn:
            raise kind(text)

        return _named(refuse, name, module, f"Raise {kind.__name__}: {text}")

    return {name: made(name) for name in names.split()}


def answering(names: str, module: str, answer: Callable[[], Any]) -> dict[str, Callable[..., Any]]:
    """Functions that give what `answer` makes, as on a machine without the device.

    Parameters
    ----------
    names : str
        Separated by blanks.
    module : str
        Where torch has them.
    answer : callable
        ``int`` for functions that give 0, ``bool`` for False, ``nothing`` for None and so on.
    """

    def made(name: str) -> Callable[..., Any]:
        def give(*_: Any, **__: Any) -> Any:
            return answer()

        return _named(give, name, module, f"Return {answer()!r}, whatever the arguments.")

    return {name: made(name) for name in names.split()}


def nothing() -> None:
    """None."""


def uninstantiable(names: Iterable[str], module: str, text: str) -> dict[str, type]:
    """Classes, for `isinstance` and annotations, whose instances need the device.

    Parameters
    ----------
    names : iterable of str
    module : str
        Where torch has them.
    text : str
        The RuntimeError's text, in which ``{}`` stands for the class's name.
    """

    def made(name: str) -> type:
        def refuse(cls: type, *_: Any, **__: Any) -> NoReturn:
            raise RuntimeError(text.format(name))

        return type(
            name, (), {"__module__": module, "__new__": refuse, "__doc__": "Made only where the device is."}
        )

    return {name: made(name) for name in names}
