"""Define a softmax over many classes by clusters of rare ones."""

from collections.abc import Sequence
from typing import Any

from ...array.named_tuples import NamedTuple
from ...tensor.creation import zeros
from .. import functional as F
from .container import ModuleList, Sequential
from .linear import Linear
from .module import Module


class _ASMoutput(NamedTuple):
    """The log probabilities of the targets, (N,), and the mean of minus them."""

    output: Any
    loss: Any


class AdaptiveLogSoftmaxWithLoss(Module):
    """Log probabilities of classes sorted by frequency (Grave et al. 2017, "Efficient softmax
    approximation").

    The head holds the classes before the first cutoff and one entry per cluster; a cluster's classes have a
    projection of their own, smaller by `div_value` from cluster to cluster.
    """

    def __init__(
        self, in_features: int, n_classes: int, cutoffs: Sequence[int], div_value: float = 4.0,
        head_bias: bool = False, device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        if not (cutoffs := list(cutoffs)):
            raise ValueError("cutoffs should be a sequence of length larger than 0")
        if (
            cutoffs != sorted(set(cutoffs))
            or cutoffs[0] <= 0
            or cutoffs[-1] > n_classes - 1
            or any(int(c) != c for c in cutoffs)
        ):
            raise ValueError(
                "cutoffs should be a sequence of unique, positive integers sorted in an increasing order, "
                "where each value is between 1 and n_classes-1"
            )
        self.in_features = in_features
        self.n_classes = n_classes
        self.cutoffs = [*cutoffs, n_classes]
        self.div_value = div_value
        self.head_bias = head_bias
        self.shortlist_size = cutoffs[0]
        self.n_clusters = len(cutoffs)
        self.head_size = self.shortlist_size + self.n_clusters
        self.head = Linear(in_features, self.head_size, head_bias, device, dtype)
        self.tail = ModuleList()
        for i in range(self.n_clusters):
            width = int(in_features // div_value ** (i + 1))
            classes = self.cutoffs[i + 1] - self.cutoffs[i]
            self.tail.append(
                Sequential(
                    Linear(in_features, width, False, device, dtype),
                    Linear(width, classes, False, device, dtype),
                )
            )

    def reset_parameters(self) -> None:
        """Draw all initial values."""
        self.head.reset_parameters()
        for project, classify in self.tail:
            project.reset_parameters()
            classify.reset_parameters()

    def forward(self, input_: Any, target_: Any) -> _ASMoutput:
        """Return (N, in_features) against class indices (N,)."""
        if (rank := target_.dim()) > 1:
            raise RuntimeError("0D or 1D target tensor expected, multi-target not supported")
        if rank == 1 and input_.size(0) != target_.size(0):
            raise RuntimeError("Input and target should have the same size in the batch dimension.")
        if input_.dim() != rank + 1:
            raise RuntimeError(
                f"{rank}D target tensor expects {rank + 1}D input tensors, but found inputs with size "
                f"{input_.size()}"
            )
        input, target = (input_, target_) if rank else (input_.unsqueeze(0), target_.unsqueeze(0))
        low, high = int(target.min()), int(target.max())
        if low < 0 or high >= self.n_classes:
            raise RuntimeError(
                f"Target values should be in [0, {self.n_classes - 1}], but values in range [{low}, {high}] "
                "were found. "
            )
        within = zeros(target.size(0), dtype=input.dtype)
        places = target
        for i in range(self.n_clusters):
            chosen = (target >= self.cutoffs[i]) & (target < self.cutoffs[i + 1])
            rows = chosen.nonzero().squeeze(1)
            if rows.numel() == 0:
                continue
            places = places.index_fill(0, rows, self.shortlist_size + i)
            logs = F.log_softmax(self.tail[i](input.index_select(0, rows)), 1)
            member = (target[rows] - self.cutoffs[i]).unsqueeze(1)
            within = within.index_copy(0, rows, logs.gather(1, member).squeeze(1))
        output = within + F.log_softmax(self.head(input), 1).gather(1, places.unsqueeze(1)).squeeze(1)
        loss = (-output).mean()
        return _ASMoutput(output if rank else output.squeeze(0), loss)

    def log_prob(self, input: Any) -> Any:
        """Log probabilities (N, n_classes) of all classes."""
        from ...tensor.join import cat

        head = F.log_softmax(self.head(input), 1)
        parts = [head[:, : self.shortlist_size]]
        for i, tail in enumerate(self.tail):
            parts.append(F.log_softmax(tail(input), 1) + head[:, self.shortlist_size + i].unsqueeze(1))
        return cat(parts, 1)

    def predict(self, input: Any) -> Any:
        """Return the most probable class of each row: (N,).

        The clusters are computed only for rows whose most probable entry of the head is a cluster.
        """
        found = self.head(input).argmax(1)
        rows = (found >= self.shortlist_size).nonzero().squeeze(1)
        if rows.numel():
            found[rows] = self.log_prob(input[rows]).argmax(1)
        return found


AdaptiveLogSoftmaxWithLoss.__module__ = _ASMoutput.__module__ = "torch.nn.modules.adaptive"
