"""Imports inside functions as rewritten code does them."""

import builtins
import sys
from typing import Any

from ....core.blame import own_file
from ..state.guards import ABSENT
from ..state.session import current
from ..unsupported import OnlyNow
from . import attributes


def import_module(parts: tuple[Any, Any, str]) -> Any:
    """Do an ``import`` inside a function."""
    level, names, name = parts
    session = current.get()
    frame = sys._getframe(1)
    importer = session.dict_item(frame.f_builtins, "__import__")
    if importer is not builtins.__import__:
        raise session.refusal("the import statement was replaced")
    space = frame.f_globals
    if own_file[frame.f_code.co_filename]:
        return importer(name, space, None, names, level)
    if level:
        package = space.get("__package__") or ""
        base = package.rsplit(".", level - 1)[0]
        whole = f"{base}.{name}" if name else base
    else:
        whole = name
    if whole not in sys.modules:
        # Later calls find it loaded.
        raise session.refusal(f"it imports {whole}, which is not loaded yet", OnlyNow)
    at = ""
    for part in whole.split("."):
        at = f"{at}.{part}" if at else part
        session.dict_item(sys.modules, at)
    return importer(name, space, None, names, level)


def import_from(module: object, name: str) -> Any:
    """Return a name of a module, for ``from module import name``."""
    if own_file[sys._getframe(1).f_code.co_filename]:
        value = getattr(module, name, ABSENT)
        if value is not ABSENT:
            return value
    try:
        return attributes.load_attribute(module, name)
    except AttributeError:
        whole = f"{getattr(module, '__name__', '')}.{name}"
        value = current.get().dict_item(sys.modules, whole)
        if value is not ABSENT:
            return value
        raise ImportError(
            f"cannot import name {name!r} from {getattr(module, '__name__', '<unknown module name>')!r} "
            f"({getattr(module, '__file__', 'unknown location')})"
        ) from None
