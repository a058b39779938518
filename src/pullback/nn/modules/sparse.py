"""Define embeddings: tables whose rows are picked by index."""

from typing import Any

from .. import functional as F
from .. import init
from ..parameter import Parameter
from .creation import empty_parameter
from .module import Module
from .utils import differing


class _Table(Module):
    """Hold rows that are picked by index."""

    _padding_word = "padding_idx"

    def __init__(
        self, num_embeddings: int, embedding_dim: int, padding_idx: int | None, max_norm: float | None,
        norm_type: float, scale_grad_by_freq: bool, weight: Any, trained: bool, device: Any, dtype: Any,
    ) -> None:  # fmt: skip
        super().__init__()
        if padding_idx is not None:
            if not -num_embeddings <= padding_idx < num_embeddings:
                raise AssertionError(f"{self._padding_word} must be within num_embeddings")
            padding_idx %= num_embeddings
        self.num_embeddings = num_embeddings
        self.embedding_dim = embedding_dim
        self.padding_idx = padding_idx
        self.max_norm = max_norm
        self.norm_type = norm_type
        self.scale_grad_by_freq = scale_grad_by_freq
        shape = [num_embeddings, embedding_dim]
        if weight is None:
            self.weight = empty_parameter((*shape,), device, dtype)
            self.weight.requires_grad_(trained)
            self.reset_parameters()
        else:
            if list(weight.shape) != shape:
                raise AssertionError("Shape of weight does not match num_embeddings and embedding_dim")
            self.weight = Parameter(weight, requires_grad=trained)

    def reset_parameters(self) -> None:
        """Draw the initial values from N(0, 1); the padding row is 0."""
        init.normal_(self.weight)
        if self.padding_idx is not None:
            init.zeros_(self.weight.data[self.padding_idx])


class Embedding(_Table):
    """Rows of `weight`, (num_embeddings, embedding_dim), picked by integer indices."""

    _padding_word = "Padding_idx"

    def __init__(
        self, num_embeddings: int, embedding_dim: int, padding_idx: int | None = None,
        max_norm: float | None = None, norm_type: float = 2.0, scale_grad_by_freq: bool = False,
        sparse: bool = False, _weight: Any = None, _freeze: bool = False, device: Any = None,
        dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__(
            num_embeddings, embedding_dim, padding_idx, max_norm, norm_type, scale_grad_by_freq, _weight,
            not _freeze, device, dtype,
        )  # fmt: skip
        self.sparse = sparse

    def forward(self, input: Any) -> Any:
        """Map (*) int -> (*, embedding_dim)."""
        if self.padding_idx is self.max_norm is None and not (self.scale_grad_by_freq or self.sparse):
            return F.embedding(input, self.weight)
        return F.embedding(
            input, self.weight, self.padding_idx, self.max_norm, self.norm_type, self.scale_grad_by_freq,
            self.sparse
        )

    def extra_repr(self) -> str:
        """Return the arguments that differ from their defaults."""
        options = {"padding_idx": None, "max_norm": None, "norm_type": 2, "scale_grad_by_freq": False}
        return f"{self.num_embeddings}, {self.embedding_dim}{differing(self, **options, sparse=False)}"

    @classmethod
    def from_pretrained(
        cls, embeddings: Any, freeze: bool = True, padding_idx: int | None = None, **options: Any
    ) -> Any:
        """Return an embedding with given rows."""
        if embeddings.dim() != 2:
            raise AssertionError("Embeddings parameter is expected to be 2-dimensional")
        rows, columns = embeddings.shape
        return cls(rows, columns, padding_idx=padding_idx, _weight=embeddings, _freeze=freeze, **options)


class EmbeddingBag(_Table):
    """Sums, means or maxima of bags of rows of `weight`, (num_embeddings, embedding_dim)."""

    def __init__(
        self, num_embeddings: int, embedding_dim: int, max_norm: float | None = None, norm_type: float = 2.0,
        scale_grad_by_freq: bool = False, mode: str = "mean", sparse: bool = False, _weight: Any = None,
        include_last_offset: bool = False, padding_idx: int | None = None, device: Any = None,
        dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__(
            num_embeddings, embedding_dim, padding_idx, max_norm, norm_type, scale_grad_by_freq, _weight,
            True, device, dtype,
        )  # fmt: skip
        self.mode = mode
        self.sparse = sparse
        self.include_last_offset = include_last_offset

    def forward(self, input: Any, offsets: Any = None, per_sample_weights: Any = None) -> Any:
        """Map (B, L) int, or (L,) int and (B,) offsets -> (B, embedding_dim)."""
        return F.embedding_bag(
            input, self.weight, offsets, self.max_norm, self.norm_type, self.scale_grad_by_freq, self.mode,
            self.sparse, per_sample_weights, self.include_last_offset, self.padding_idx,
        )  # fmt: skip

    def extra_repr(self) -> str:
        """Return the arguments that differ from their defaults, and the mode."""
        options = differing(self, max_norm=None, norm_type=2, scale_grad_by_freq=False)
        text = f"{self.num_embeddings}, {self.embedding_dim}{options}, mode={self.mode!r}"
        return text + differing(self, padding_idx=None)

    @classmethod
    def from_pretrained(
        cls, embeddings: Any, freeze: bool = True, max_norm: float | None = None, norm_type: float = 2.0,
        scale_grad_by_freq: bool = False, mode: str = "mean", sparse: bool = False,
        include_last_offset: bool = False, padding_idx: int | None = None,
    ) -> Any:  # fmt: skip
        """Return bags of given rows."""
        if embeddings.dim() != 2:
            raise AssertionError("Embeddings parameter is expected to be 2-dimensional")
        rows, columns = embeddings.shape
        made = cls(
            rows, columns, max_norm, norm_type, scale_grad_by_freq, mode, sparse, embeddings,
            include_last_offset, padding_idx,
        )  # fmt: skip
        made.weight.requires_grad = not freeze
        return made
