"""Define loss layers: each is a loss of `nn.functional` with its arguments kept."""

from typing import Any, ClassVar

from ...core.warn import warn
from .. import functional as F
from ..functional.loss_reduction import legacy_reduction
from .distance import PairwiseDistance
from .function_layer import NamedLayer, name_as_torch


class _Loss(NamedLayer):
    """Call a loss of `nn.functional` with what the layer keeps.

    Attributes
    ----------
    kept : sequence of str
        Attributes that it takes, by the names of its parameters, besides `reduction`.
    """

    kept: ClassVar[tuple[str, ...]] = ()

    def __init__(
        self, size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean"
    ) -> None:
        super().__init__()
        self.reduction = legacy_reduction(size_average, reduce, reduction)

    def _options(self) -> dict[str, Any]:
        return {"reduction": self.reduction, **{name: getattr(self, name) for name in self.kept}}

    def forward(self, input: Any, target: Any) -> Any:
        """Return the loss of `input` against `target`."""
        return getattr(F, self.function)(input, target, **self._options())


class _WeightedLoss(_Loss):
    """A loss with a weight for each class, or for each element."""

    kept: ClassVar[tuple[str, ...]] = ("weight",)

    def __init__(
        self, weight: Any = None, size_average: bool | None = None, reduce: bool | None = None,
        reduction: str = "mean",
    ) -> None:  # fmt: skip
        super().__init__(size_average, reduce, reduction)
        self.register_buffer("weight", weight)


class MSELoss(_Loss):
    """Compute (x − y)²."""


class L1Loss(_Loss):
    """Compute |x − y|."""


class SmoothL1Loss(_Loss):
    """Compute ½d²/β where d = |x − y| < β, else d − β/2."""

    kept = ("beta",)

    def __init__(
        self, size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean",
        beta: float = 1.0,
    ) -> None:  # fmt: skip
        super().__init__(size_average, reduce, reduction)
        self.beta = beta


class HuberLoss(_Loss):
    """Compute ½d² where d = |x − y| < δ, else δ(d − δ/2)."""

    kept = ("delta",)

    def __init__(self, reduction: str = "mean", delta: float = 1.0) -> None:
        if not isinstance(delta, (int, float)):
            raise TypeError(f"delta must be a float or int, got: {type(delta)}")
        super().__init__(reduction=reduction)
        self.delta = delta


class NLLLoss(_WeightedLoss):
    """Compute −weight[c]·x[c] at the target class c."""

    kept = ("weight", "ignore_index")

    def __init__(
        self, weight: Any = None, size_average: bool | None = None, ignore_index: int = -100,
        reduce: bool | None = None, reduction: str = "mean",
    ) -> None:  # fmt: skip
        super().__init__(weight, size_average, reduce, reduction)
        self.ignore_index = ignore_index


class CrossEntropyLoss(_WeightedLoss):
    """Compute −log softmax(x)[c] at the target class c, or against class probabilities."""

    function, kept = "cross_entropy", ("weight", "ignore_index", "label_smoothing")

    def __init__(
        self, weight: Any = None, size_average: bool | None = None, ignore_index: int = -100,
        reduce: bool | None = None, reduction: str = "mean", label_smoothing: float = 0.0,
    ) -> None:  # fmt: skip
        super().__init__(weight, size_average, reduce, reduction)
        self.ignore_index = ignore_index
        self.label_smoothing = label_smoothing


class BCELoss(_WeightedLoss):
    """Compute −(y log x + (1 − y) log(1 − x))."""

    function = "binary_cross_entropy"


class BCEWithLogitsLoss(_Loss):
    """Compute the binary cross entropy of σ(x), stably."""

    function, kept = "binary_cross_entropy_with_logits", ("weight", "pos_weight")

    def __init__(
        self, weight: Any = None, size_average: bool | None = None, reduce: bool | None = None,
        reduction: str = "mean", pos_weight: Any = None,
    ) -> None:  # fmt: skip
        super().__init__(size_average, reduce, reduction)
        self.register_buffer("weight", weight)
        self.register_buffer("pos_weight", pos_weight)


class KLDivLoss(_Loss):
    """Compute y (log y − x)."""

    function, kept = "kl_div", ("log_target",)

    def __init__(
        self, size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean",
        log_target: bool = False,
    ) -> None:  # fmt: skip
        super().__init__(size_average, reduce, reduction)
        self.log_target = log_target


class PoissonNLLLoss(_Loss):
    """Compute eˣ − y·x (or x − y log x)."""

    kept = ("log_input", "full", "eps")

    def __init__(
        self, log_input: bool = True, full: bool = False, size_average: bool | None = None, eps: float = 1e-8,
        reduce: bool | None = None, reduction: str = "mean",
    ) -> None:  # fmt: skip
        super().__init__(size_average, reduce, reduction)
        self.log_input, self.full, self.eps = log_input, full, eps


class HingeEmbeddingLoss(_Loss):
    """Compute x where y = 1, max(0, margin − x) where y = −1."""

    kept = ("margin",)

    def __init__(
        self, margin: float = 1.0, size_average: bool | None = None, reduce: bool | None = None,
        reduction: str = "mean",
    ) -> None:  # fmt: skip
        super().__init__(size_average, reduce, reduction)
        self.margin = margin


class SoftMarginLoss(_Loss):
    """Compute log(1 + e^(−y·x))."""


class MultiLabelSoftMarginLoss(_WeightedLoss):
    """Compute the mean over classes of the binary cross entropy with logits."""


class MultiLabelMarginLoss(_Loss):
    """Compute Σ max(0, 1 − (x[target] − x[other])) / classes."""


class _PairLoss(_Loss):
    kept = ("margin",)

    def __init__(
        self, margin: float = 0.0, size_average: bool | None = None, reduce: bool | None = None,
        reduction: str = "mean",
    ) -> None:  # fmt: skip
        super().__init__(size_average, reduce, reduction)
        self.margin = margin

    def forward(self, input1: Any, input2: Any, target: Any) -> Any:  # type: ignore[override]  # one more input
        """Return the loss of a pair against `target` (1 or −1)."""
        return getattr(F, self.function)(input1, input2, target, **self._options())


class MarginRankingLoss(_PairLoss):
    """Compute max(0, −y(x₁ − x₂) + margin)."""


class CosineEmbeddingLoss(_PairLoss):
    """Compute 1 − cos(x₁, x₂) where y = 1, max(0, cos − margin) where y = −1."""


class TripletMarginLoss(_Loss):
    """Compute max(0, d(a, p) − d(a, n) + margin)."""

    kept = ("margin", "p", "eps", "swap")

    def __init__(
        self, margin: float = 1.0, p: float = 2.0, eps: float = 1e-6, swap: bool = False,
        size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean",
    ) -> None:  # fmt: skip
        super().__init__(size_average, reduce, reduction)
        _check_margin("TripletMarginLoss", margin)
        self.margin, self.p, self.eps, self.swap = margin, p, eps, swap

    def forward(self, anchor: Any, positive: Any, negative: Any) -> Any:  # type: ignore[override]  # three inputs
        """Return the loss of an anchor against a positive and a negative."""
        return F.triplet_margin_loss(anchor, positive, negative, **self._options())


def _check_margin(name: str, margin: float) -> None:
    if margin <= 0:
        raise ValueError(f"{name}: expected margin to be greater than 0, got {margin} instead")


class GaussianNLLLoss(_Loss):
    """Compute ½(log var + (x − y)² / var)."""

    kept = ("full", "eps")

    def __init__(self, *, full: bool = False, eps: float = 1e-6, reduction: str = "mean") -> None:
        super().__init__(reduction=reduction)
        self.full, self.eps = full, eps

    def forward(self, input: Any, target: Any, var: Any) -> Any:  # type: ignore[override]  # one more input
        """Return the loss of a mean and a variance against `target`."""
        return F.gaussian_nll_loss(input, target, var, **self._options())


class MultiMarginLoss(_WeightedLoss):
    """Compute the mean over the other classes i of max(0, margin − x[target] + x[i])^p."""

    kept = ("weight", "p", "margin")

    def __init__(
        self, p: int = 1, margin: float = 1.0, weight: Any = None, size_average: bool | None = None,
        reduce: bool | None = None, reduction: str = "mean",
    ) -> None:  # fmt: skip
        super().__init__(weight, size_average, reduce, reduction)
        if p not in (1, 2):
            raise ValueError("only p == 1 and p == 2 supported")
        if weight is not None and weight.dim() != 1:
            raise ValueError(
                f"MultiMarginLoss: expected weight to be None or 1D tensor, got {weight.dim()}D instead"
            )
        self.p, self.margin = p, margin


class NLLLoss2d(NLLLoss):
    """The former name of `NLLLoss` for images."""

    def __init__(
        self, weight: Any = None, size_average: bool | None = None, ignore_index: int = -100,
        reduce: bool | None = None, reduction: str = "mean",
    ) -> None:  # fmt: skip
        warn(
            "`NLLLoss2d` has been deprecated. Please use `NLLLoss` instead as a drop-in replacement and see "
            "https://pytorch.org/docs/main/nn.html#torch.nn.NLLLoss for more details.", FutureWarning
        )
        super().__init__(weight, size_average, ignore_index, reduce, reduction)


class TripletMarginWithDistanceLoss(_Loss):
    """Compute `TripletMarginLoss` with another distance than ‖x − y + eps‖ₚ."""

    def __init__(
        self, *, distance_function: Any = None, margin: float = 1.0, swap: bool = False,
        reduction: str = "mean",
    ) -> None:  # fmt: skip
        super().__init__(reduction=reduction)
        _check_margin("TripletMarginWithDistanceLoss", margin)
        self.distance_function = PairwiseDistance() if distance_function is None else distance_function
        self.margin = margin
        self.swap = swap

    def forward(self, anchor: Any, positive: Any, negative: Any) -> Any:  # type: ignore[override]  # three inputs
        """Return the loss of an anchor against a positive and a negative."""
        return F.triplet_margin_with_distance_loss(
            anchor, positive, negative, distance_function=self.distance_function, margin=self.margin,
            swap=self.swap, reduction=self.reduction,
        )  # fmt: skip


class CTCLoss(_Loss):
    """Compute −log of the probability of a sequence of labels, summed over its alignments."""

    def __init__(self, blank: int = 0, reduction: str = "mean", zero_infinity: bool = False) -> None:
        super().__init__(reduction=reduction)
        self.blank = blank
        self.zero_infinity = zero_infinity

    def forward(  # type: ignore[override]  # four inputs
        self, log_probs: Any, targets: Any, input_lengths: Any, target_lengths: Any
    ) -> Any:
        """Return the loss of log probabilities (T, N, C) against targets."""
        return F.ctc_loss(
            log_probs, targets, input_lengths, target_lengths, self.blank, self.reduction, self.zero_infinity
        )


name_as_torch(vars(), "torch.nn.modules.loss", _PairLoss)
