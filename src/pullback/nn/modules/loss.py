"""Loss layers: each is a loss of `nn.functional` with its arguments kept."""

from __future__ import annotations

import warnings
from typing import Any, ClassVar

from .. import functional as F
from .distance import PairwiseDistance
from .module import Module


class _Loss(Module):
    """Call a loss function with the arguments of the constructor; `size_average` and `reduce` are
    torch's old names.
    """

    function: ClassVar[str]
    arguments: ClassVar[dict[str, Any]] = {}
    weighted: ClassVar[bool] = False

    def __init__(
        self, *args: Any, size_average: bool | None = None, reduce: bool | None = None,
        reduction: str = "mean", **kwargs: Any
    ) -> None:
        super().__init__()
        names = [*(["weight"] if self.weighted else []), *self.positional()]
        values = dict(self.arguments)
        weight = kwargs.pop("weight", None)
        for name, value in zip(names, args, strict=False):
            if name == "weight":
                weight = value
            elif name == "size_average":
                size_average = value
            elif name == "reduce":
                reduce = value
            elif name == "reduction":
                reduction = value
            else:
                values[name] = value
        if len(args) > len(names):
            raise TypeError(
                f"{type(self).__name__}.__init__() takes at most {len(names) + 1} positional arguments"
            )
        for name, value in kwargs.items():
            if name not in values:
                raise TypeError(
                    f"{type(self).__name__}.__init__() got an unexpected keyword argument '{name}'"
                )
            values[name] = value
        self.reduction = (
            reduction if size_average is None and reduce is None else legacy_reduction(size_average, reduce)
        )
        if self.weighted:
            self.register_buffer("weight", weight)
        for name, value in values.items():
            if name == "pos_weight":
                self.register_buffer(name, value)
            else:
                setattr(self, name, value)

    @classmethod
    def positional(cls) -> list[str]:
        """Return names of the constructor's arguments in order, after `weight`."""
        own = list(cls.arguments)
        return (
            [*own, "size_average", "reduce", "reduction"]
            if cls.own_first
            else ["size_average", *own, "reduce", "reduction"]
        )

    own_first: ClassVar[bool] = True

    def forward(self, input: Any, target: Any) -> Any:
        """Return the loss of `input` against `target`."""
        options = {name: getattr(self, name) for name in self.arguments}
        if self.weighted:
            options["weight"] = self.weight
        return getattr(F, self.function)(input, target, reduction=self.reduction, **options)


class _WeightedLoss(_Loss):
    """A loss with a weight for each class, or for each element."""

    weighted = True


def legacy_reduction(size_average: bool | None, reduce: bool | None) -> str:
    """Return the reduction that the old flags stand for, with torch's warning."""
    size_average = True if size_average is None else size_average
    reduce = True if reduce is None else reduce
    chosen = "none" if not reduce else "mean" if size_average else "sum"
    warnings.warn(
        f"size_average and reduce args will be deprecated, please use reduction='{chosen}' instead.",
        UserWarning, stacklevel=4
    )
    return chosen


class MSELoss(_Loss):
    """(x − y)²."""

    function = "mse_loss"


class L1Loss(_Loss):
    """|x − y|."""

    function = "l1_loss"


class SmoothL1Loss(_Loss):
    """½d²/β where d = |x − y| < β, else d − β/2."""

    function = "smooth_l1_loss"
    arguments: ClassVar[dict[str, Any]] = {"beta": 1.0}

    @classmethod
    def positional(cls) -> list[str]:
        """Return the order of the constructor's arguments."""
        return ["size_average", "reduce", "reduction", "beta"]


class HuberLoss(_Loss):
    """½d² where d = |x − y| < δ, else δ(d − δ/2)."""

    function = "huber_loss"
    arguments: ClassVar[dict[str, Any]] = {"delta": 1.0}

    @classmethod
    def positional(cls) -> list[str]:
        """Return the order of the constructor's arguments."""
        return ["reduction", "delta"]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if not isinstance(self.delta, (int, float)):
            raise TypeError(f"delta must be a float or int, got: {type(self.delta)}")


class NLLLoss(_WeightedLoss):
    """−weight[c]·x[c] at the target class c."""

    function = "nll_loss"
    arguments: ClassVar[dict[str, Any]] = {"ignore_index": -100}
    own_first = False


class CrossEntropyLoss(_WeightedLoss):
    """−log softmax(x)[c] at the target class c, or against class probabilities."""

    function = "cross_entropy"
    arguments: ClassVar[dict[str, Any]] = {"ignore_index": -100, "label_smoothing": 0.0}

    @classmethod
    def positional(cls) -> list[str]:
        """Return the order of the constructor's arguments."""
        return ["size_average", "ignore_index", "reduce", "reduction", "label_smoothing"]


class BCELoss(_WeightedLoss):
    """−(y log x + (1 − y) log(1 − x))."""

    function = "binary_cross_entropy"


class BCEWithLogitsLoss(_Loss):
    """Binary cross entropy of σ(x), computed stably."""

    function = "binary_cross_entropy_with_logits"
    weighted = True
    arguments: ClassVar[dict[str, Any]] = {"pos_weight": None}

    @classmethod
    def positional(cls) -> list[str]:
        """Return the order of the constructor's arguments."""
        return ["size_average", "reduce", "reduction", "pos_weight"]


class KLDivLoss(_Loss):
    """y (log y − x)."""

    function = "kl_div"
    arguments: ClassVar[dict[str, Any]] = {"log_target": False}

    @classmethod
    def positional(cls) -> list[str]:
        """Return the order of the constructor's arguments."""
        return ["size_average", "reduce", "reduction"]


class PoissonNLLLoss(_Loss):
    """eˣ − y·x (or x − y log x)."""

    function = "poisson_nll_loss"
    arguments: ClassVar[dict[str, Any]] = {"log_input": True, "full": False, "eps": 1e-8}

    @classmethod
    def positional(cls) -> list[str]:
        """Return the order of the constructor's arguments."""
        return ["log_input", "full", "size_average", "eps", "reduce", "reduction"]


class HingeEmbeddingLoss(_Loss):
    """x where y = 1, max(0, margin − x) where y = −1."""

    function = "hinge_embedding_loss"
    arguments: ClassVar[dict[str, Any]] = {"margin": 1.0}


class SoftMarginLoss(_Loss):
    """log(1 + e^(−y·x))."""

    function = "soft_margin_loss"


class MultiLabelSoftMarginLoss(_WeightedLoss):
    """Mean over classes of the binary cross entropy with logits."""

    function = "multilabel_soft_margin_loss"


class MultiLabelMarginLoss(_Loss):
    """Σ max(0, 1 − (x[target] − x[other])) / classes."""

    function = "multilabel_margin_loss"


class _PairLoss(_Loss):
    def forward(self, input1: Any, input2: Any, target: Any) -> Any:  # type: ignore[override]  # one more input
        """Return the loss of a pair against `target` (1 or −1)."""
        return getattr(F, self.function)(input1, input2, target, margin=self.margin, reduction=self.reduction)


class MarginRankingLoss(_PairLoss):
    """max(0, −y(x₁ − x₂) + margin)."""

    function = "margin_ranking_loss"
    arguments: ClassVar[dict[str, Any]] = {"margin": 0.0}


class CosineEmbeddingLoss(_PairLoss):
    """1 − cos(x₁, x₂) where y = 1, max(0, cos − margin) where y = −1."""

    function = "cosine_embedding_loss"
    arguments: ClassVar[dict[str, Any]] = {"margin": 0.0}


class TripletMarginLoss(_Loss):
    """max(0, d(a, p) − d(a, n) + margin)."""

    function = "triplet_margin_loss"
    arguments: ClassVar[dict[str, Any]] = {"margin": 1.0, "p": 2.0, "eps": 1e-6, "swap": False}

    def forward(self, anchor: Any, positive: Any, negative: Any) -> Any:  # type: ignore[override]  # three inputs
        """Return the loss of an anchor against a positive and a negative."""
        options = {name: getattr(self, name) for name in self.arguments}
        return F.triplet_margin_loss(anchor, positive, negative, reduction=self.reduction, **options)


class GaussianNLLLoss(_Loss):
    """½(log var + (x − y)² / var)."""

    function = "gaussian_nll_loss"
    arguments: ClassVar[dict[str, Any]] = {"full": False, "eps": 1e-6}

    def forward(self, input: Any, target: Any, var: Any) -> Any:  # type: ignore[override]  # one more input
        """Return the loss of a mean and a variance against `target`."""
        return F.gaussian_nll_loss(input, target, var, full=self.full, eps=self.eps, reduction=self.reduction)


class MultiMarginLoss(_WeightedLoss):
    """Mean over the other classes i of max(0, margin − x[target] + x[i])^p."""

    function = "multi_margin_loss"
    arguments: ClassVar[dict[str, Any]] = {"p": 1, "margin": 1.0}

    def __init__(
        self, p: int = 1, margin: float = 1.0, weight: Any = None, size_average: bool | None = None,
        reduce: bool | None = None, reduction: str = "mean",
    ) -> None:  # fmt: skip
        super().__init__(
            weight=weight, size_average=size_average, reduce=reduce, reduction=reduction, p=p, margin=margin
        )
        if p not in (1, 2):
            raise ValueError("only p == 1 and p == 2 supported")
        if weight is not None and weight.dim() != 1:
            raise ValueError(
                f"MultiMarginLoss: expected weight to be None or 1D tensor, got {weight.dim()}D instead"
            )


class NLLLoss2d(NLLLoss):
    """The former name of `NLLLoss` for images."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        warnings.warn(
            "`NLLLoss2d` has been deprecated. Please use `NLLLoss` instead as a drop-in replacement and see "
            "https://pytorch.org/docs/main/nn.html#torch.nn.NLLLoss for more details.",
            FutureWarning,
            stacklevel=2,
        )
        super().__init__(*args, **kwargs)


class TripletMarginWithDistanceLoss(_Loss):
    """`TripletMarginLoss` with a distance of one's own."""

    def __init__(
        self, *, distance_function: Any = None, margin: float = 1.0, swap: bool = False,
        reduction: str = "mean",
    ) -> None:  # fmt: skip
        super().__init__(reduction=reduction)
        if margin <= 0:
            raise ValueError(
                f"TripletMarginWithDistanceLoss: expected margin to be greater than 0, got {margin} instead"
            )
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
    """−log of the probability of a sequence of labels, summed over its alignments."""

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


for _class in [
    *_Loss.__subclasses__(), *_PairLoss.__subclasses__(), *_WeightedLoss.__subclasses__(), NLLLoss2d,
]:  # fmt: skip
    _class.__module__ = "torch.nn.modules.loss"
    # Libraries evaluate them, of an instance and in modules of their own, as torch's can be.
    _options = getattr(_class, "arguments", {})
    _class.__annotations__ = {name: type(value) for name, value in _options.items() if value is not None}
del _class, _options
