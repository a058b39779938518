"""Define distances and similarities between two inputs."""

from typing import Any

from .. import functional as F
from .module import Module


class PairwiseDistance(Module):
    """``‖x1 − x2 + eps‖_p`` along the last axis."""

    def __init__(self, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False) -> None:
        super().__init__()
        self.norm = p
        self.eps = eps
        self.keepdim = keepdim

    def forward(self, x1: Any, x2: Any) -> Any:
        """Map (*, D), (*, D) -> (*)."""
        return F.pairwise_distance(x1, x2, self.norm, self.eps, self.keepdim)


class CosineSimilarity(Module):
    """``x1·x2 / max(‖x1‖‖x2‖, eps)`` along an axis."""

    def __init__(self, dim: int = 1, eps: float = 1e-8) -> None:
        super().__init__()
        self.dim = dim
        self.eps = eps

    def forward(self, x1: Any, x2: Any) -> Any:
        """Return the similarity along `dim`, which it takes away."""
        return F.cosine_similarity(x1, x2, self.dim, self.eps)
