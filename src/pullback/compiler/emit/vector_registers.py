"""The processor's vector registers."""

from ...array.named_tuples import NamedTuple
from ..runtime import engine


class Registers(NamedTuple):
    """Say how many registers there are, and how many numbers each has."""

    number: int
    lanes: int


def registers(real: str) -> Registers:
    """Return those of this processor, for ``"float"`` or ``"double"``."""
    size = engine.register_bytes()
    return Registers(32 if size == 64 else 16, size // (4 if real == "float" else 8))
