"""torch.jit.annotations: types that TorchScript reads in annotations; to Python they are those of
`typing`.
"""

from typing import Any, Dict, List, Optional, Tuple, Union  # noqa: UP035  # torch's names

from ...tensor.tensor import Tensor
from ..futures import Future

BroadcastingList1 = list
BroadcastingList2 = list
BroadcastingList3 = list

__all__ = [
    "Any", "BroadcastingList1", "BroadcastingList2", "BroadcastingList3", "Dict", "Future", "List",
    "Optional", "Tensor", "Tuple", "Union",
]  # fmt: skip
