"""torch.linalg: what the facade declares in that namespace."""

from ..ops.linalg import LinAlgError
from ..tensor import namespace  # noqa: F401  # registers the functions
from ..tensor.api import names
from ..torch_names.exclusions import answer_for

globals().update(names("linalg"))

__all__ = ["LinAlgError", *sorted(names("linalg"))]  # noqa: PLE0604  # torch's names, collected

answer_for(globals())
