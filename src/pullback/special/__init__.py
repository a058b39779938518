"""torch.special: what the facade declares in that namespace, when it is first used."""

from ..tensor import special as _declared  # noqa: F401  # registers the functions
from ..tensor.api import names
from ..torch_names.exclusions import answer_for

globals().update(names("special"))

__all__ = sorted(names("special"))  # noqa: PLE0605  # torch's names, collected

answer_for(globals())
