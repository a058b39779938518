"""torch._tensor_str: the parts of a tensor's text, of which subclasses in libraries make their own."""

from collections.abc import Sequence
from typing import Any

from ..core.value import array_of
from ..tensor.printing import PrintOptions, contents_text, get_printoptions, set_printoptions, with_suffixes

__all__ = ["PRINT_OPTS", "_add_suffixes", "_str", "_str_intern", "_tensor_str"]


class _Options:
    """The print options as attributes."""

    def __getattr__(self, name: str) -> Any:
        if name not in (options := get_printoptions()):
            raise AttributeError(f"no print option is called '{name}'")
        return options[name]

    def __setattr__(self, name: str, value: Any) -> None:
        set_printoptions(**{name: value})


PRINT_OPTS = _Options()


def _tensor_str(self: Any, indent: int) -> str:
    """Return the elements in brackets that open at column `indent`."""
    if not self.numel():
        return "[]"
    return contents_text(array_of(self), self.dtype, indent, PrintOptions(**get_printoptions()))


def _add_suffixes(tensor_str: str, suffixes: Sequence[str], indent: int, force_newline: bool) -> str:
    """Return the text with what follows the elements, and the closing bracket."""
    if force_newline and suffixes:
        tensor_str += f",\n{' ' * indent}{suffixes[0]}"
        suffixes = suffixes[1:]
    return with_suffixes(tensor_str, suffixes, indent, get_printoptions()["linewidth"])


def _str_intern(inp: Any, *, tensor_contents: str | None = None) -> str:
    """Return the text of a tensor, with other contents if given."""
    return str(inp.__repr__(tensor_contents=tensor_contents))


def _str(self: Any, *, tensor_contents: str | None = None) -> str:
    """Return the text of a tensor."""
    return _str_intern(self, tensor_contents=tensor_contents)
