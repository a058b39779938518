"""Define `pullback.freeze` and `pullback.load_frozen`: a model as one file of native code."""

from typing import TYPE_CHECKING, Any

from .program import FrozenProgram, load_frozen

if TYPE_CHECKING:
    from .making import freeze as freeze


def __getattr__(name: str) -> Any:
    """Load what makes programs when it is asked for: who loads one needs neither tracing nor compiler."""
    if name == "freeze":
        from .making import freeze

        return freeze
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


__all__ = ["FrozenProgram", "freeze", "load_frozen"]
