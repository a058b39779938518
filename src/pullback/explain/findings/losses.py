"""Look at calls of losses: input and target of different shapes, or of another kind than the loss takes."""

from typing import Any

import numpy as np
from numpy import ndarray

from ...core.modes import modes, put_modes, reset_modes
from ...core.node import LEAF
from ...core.value import TensorBase, dtype_of, shape_of
from ..shown import dims
from ..trace import Event
from ..walk import looking
from .collected import Findings, calls_of
from .makers import PASSING, origin, values_of

#: Losses that compare element by element.
ELEMENTWISE = {
    "mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss", "binary_cross_entropy",
    "binary_cross_entropy_with_logits", "poisson_nll_loss", "gaussian_nll_loss", "soft_margin_loss",
    "hinge_embedding_loss",
}  # fmt: skip


def _pair(event: Event, second: str = "target") -> tuple[Any, Any]:
    return event.argument(0, "input"), event.argument(1, second)


@calls_of(*ELEMENTWISE)
def _elementwise(event: Event, findings: Findings) -> None:
    x, target = _pair(event)
    if not isinstance(x, TensorBase) or not isinstance(target, TensorBase):
        return
    _truncated(event, target, findings)
    have, want = shape_of(x), shape_of(target)
    if have != want and have and want:
        whole = np.broadcast_shapes(have, want)
        findings.tell(
            "broadcast: every pair", event, (), _pair_by_pair(event, x, target), event=event,
            have=dims(have), want=dims(want), whole=dims(whole), mend=_same_shape(have, want),
        )
    maker = event.maker_of(target)
    if target._node is not None and x._node is None:
        findings.tell("swapped: numbers", event, event=event)
    elif target._node not in (None, LEAF) and x._node is not None and maker is not None:
        findings.tell("target with history: loss", maker, event=event)


def _value(event: Event, x: Any, target: Any) -> float | None:
    """Return what a loss gives on another input and target; None where that cannot be run."""
    if event.function is None:
        return None
    flag, before = looking.set(True), put_modes(modes()._replace(grad=False, function_modes=()))
    try:
        value = values_of(event.function(x, target, *event.args[2:], **_others(event)))
    except Exception:  # noqa: BLE001  # another input than the program's: nothing is claimed then
        return None
    finally:
        reset_modes(before)
        looking.reset(flag)
    return float(value.mean()) if value is not None and value.size else None


def _others(event: Event) -> dict[str, Any]:
    return {name: v for name, v in event.kwargs.items() if name not in ("input", "target")}


def _changes(event: Event, x: Any, target: Any, how: str) -> str:
    """Return what a loss is on a mended input, where that is another number."""
    now, mended = (values_of(event.outputs[0]) if event.outputs else None), _value(event, x, target)
    if now is None or not now.size or mended is None:
        return ""
    before = float(now.mean())
    return f"{how} the loss is {mended:.4g} in place of {before:.4g}" if differs(before, mended) else ""


def differs(before: float, after: float) -> bool:
    """Return whether two finite numbers differ by more than rounding."""
    return bool(np.isfinite(before) and np.isfinite(after)) and abs(after - before) > 1e-5 * (
        abs(before) + abs(after)
    )


def _pair_by_pair(event: Event, x: Any, target: Any) -> str:
    if np.prod(shape_of(x)) != np.prod(shape_of(target)):
        return ""
    return _changes(event, x.detach().reshape(shape_of(target)), target, "each prediction with its target,")


def _on_scores(event: Event, made: Event) -> str:
    scores, target = made.argument(0, "input"), event.argument(1, "target")
    if not isinstance(scores, TensorBase) or shape_of(scores) != shape_of(event.argument(0, "input")):
        return ""
    return _changes(event, scores, target, f"on what goes into the {made.name}")


def _same_shape(have: tuple[int, ...], want: tuple[int, ...]) -> str:
    if len(have) == len(want) + 1 and have[-1] == 1:
        return "give both one shape: `.squeeze(-1)` on the prediction, or `.unsqueeze(-1)` on the target"
    if len(want) == len(have) + 1 and want[-1] == 1:
        return "give both one shape: `.squeeze(-1)` on the target, or `.unsqueeze(-1)` on the prediction"
    return "give prediction and target one shape"


def _sums_to_one(x: ndarray, axis: int) -> bool:
    return bool(
        x.size
        and x.ndim > 0
        and x.shape[axis] > 1
        and (x >= 0).all()
        and np.allclose(x.astype(np.float64).sum(axis), 1, atol=1e-3)
    )


def _logs(x: ndarray, axis: int) -> bool:
    """Return whether numbers are the logarithms of probabilities that add up to 1, or to less."""
    if not x.size or x.dtype.kind != "f":
        return True
    with np.errstate(all="ignore"):
        total = np.exp(x.astype(np.float64)).sum(axis)
    return bool(not np.isfinite(total).all() or (np.abs(total - 1) < 0.02).all()) or bool((total == 0).any())


@calls_of("cross_entropy", "nll_loss")
def _classes(event: Event, findings: Findings) -> None:
    x, target = _pair(event)
    values = values_of(x)
    labels = values_of(target)
    if values is None or labels is None or values.ndim == 0:
        return
    axis = 1 if values.ndim > 1 else 0
    indices = labels.dtype.kind in "iu"
    if values.shape[axis] == 1:
        findings.tell("one class", event, event=event, shape=dims(values.shape))
        return
    if x._node is None and target._node is not None:
        findings.tell("swapped: classes", event, event=event)
    made = origin(event.maker_of(x))
    last = origin(event.maker_of(x), {"dropout", "clone", "contiguous"})
    if values.ndim == 3 and values.shape[1] == values.shape[2] and last is not None and last.name == "linear":
        findings.tell("classes on the wrong axis", event, event=event, shape=dims(values.shape))
    if event.name == "cross_entropy":
        if _sums_to_one(values, axis):
            softmax = made is not None and made.name in ("softmax", "softmin", "safe_softmax")
            at = made.place if softmax and made is not None else event.place
            findings.tell(
                "softmax twice: cross entropy", at, (),
                _on_scores(event, made) if softmax and made is not None else "", event=event
            )
        elif made is not None and made.name in ("sigmoid", "relu", "tanh", "relu_"):
            findings.tell("activation before the loss", made, made=made, event=event)
    elif not _logs(values, axis):
        kind = "probabilities" if _sums_to_one(values, axis) else "plain scores"
        at = made.place if kind == "probabilities" and made is not None else event.place
        findings.tell("no log-probabilities: nll_loss", at, kind=kind, event=event)
    if not indices and labels.shape == values.shape and labels.size:
        most = labels.astype(np.float64).sum(axis).max(initial=0.0)
        if most > 1 + 1e-3:  # the loss is for one
            findings.tell("several labels", event, event=event, most=most)
    if indices and labels.size:
        _truncated(event, target, findings)
        ignored = event.argument(3, "ignore_index", -100)
        if (labels == ignored).all():
            findings.tell("nothing selected: all targets ignored", event, ignored=ignored, event=event)


def _truncated(event: Event, target: Any, findings: Findings) -> None:
    """Say where labels were fractions before they became integers."""
    _made_integers(event, target, findings)
    made = origin(event.maker_of(target), (PASSING | {"stack", "cat"}) - {"to", "type"})
    if made is None or made.name not in ("long", "int", "to", "type") or not made.inputs:
        return
    before = values_of(made.inputs[0][0])
    if before is not None and before.dtype.kind == "f" and np.any(before != np.trunc(before)):
        findings.tell(
            "labels truncated: by a conversion", made, least=before.min(), most=before.max(),
            event=event
        )


def _made_integers(event: Event, target: Any, findings: Findings) -> None:
    """Say where numbers with fractions were given to a tensor of integers, which became the target."""
    made = origin(event.maker_of(target), PASSING | {"stack", "cat", "long", "int", "div", "__truediv__"})
    if made is None or made.name not in ("tensor", "as_tensor", "asarray") or not made.args:
        return
    whole = values_of(made.outputs[0]) if made.outputs else None
    given = made.args[0]
    if whole is None or whole.dtype.kind not in "iu" or whole.size < 2 or isinstance(given, TensorBase):
        return
    before = np.asarray(given)
    if before.dtype.kind == "f" and before.shape == whole.shape and np.any(before != whole):
        findings.tell(
            "labels truncated: on creation", made, least=before.min(), most=before.max(),
            outputs=dtype_of(made.outputs[0]), count=len(np.unique(before)), count_name=len(np.unique(whole)),
            event=event
        )


@calls_of("binary_cross_entropy_with_logits")
def _logits(event: Event, findings: Findings) -> None:
    x, _ = _pair(event)
    _probabilities(event, findings)
    values = values_of(x)
    made = origin(event.maker_of(x)) if values is not None else None
    if values is None or made is None or made.name not in ("sigmoid", "sigmoid_", "softmax"):
        if made is not None and made.name in ("relu", "relu_", "softplus", "tanh"):
            gives = "then gives 0.27 to 0.73" if made.name == "tanh" else "never gives less than 0.5"
            findings.tell("activation before the loss: sigmoid", made, made=made, event=event, gives=gives)
        return
    findings.tell("sigmoid twice", made, (), _on_scores(event, made), made=made, event=event)


@calls_of("binary_cross_entropy")
def _probabilities(event: Event, findings: Findings) -> None:
    _x, target = _pair(event)
    labels = values_of(target)
    if labels is not None and labels.size and ((labels < 0) | (labels > 1)).any():
        findings.tell("target out of range", event, event=event, least=labels.min(), most=labels.max())


@calls_of("kl_div")
def _log_probabilities(event: Event, findings: Findings) -> None:
    x, target = _pair(event)
    values = values_of(x)
    if values is None or not values.size:
        return
    if isinstance(target, TensorBase) and target._node is not None and x._node is None:
        findings.tell("swapped: kl_div", event)
        return
    if (values > 1e-6).any() or _sums_to_one(values, values.ndim - 1):
        made = origin(event.maker_of(x))
        known = made is not None and made.name in ("softmax", "sigmoid")
        findings.tell(
            "no log-probabilities: kl_div",
            made.place if known and made is not None else event.place, event=event
        )
    labels = values_of(target)
    if (
        labels is not None
        and labels.size
        and (labels < 0).any()
        and not event.argument(5, "log_target", False)
    ):
        findings.tell("log-probabilities as target", event)


@calls_of("logsumexp")
def _scores_of_distribution(event: Event, findings: Findings) -> None:
    made = origin(event.inputs[0][1]) if event.inputs and event.entry == "__init__" else None
    if made is not None and made.name == "softmax":
        findings.tell("softmax twice: logits of a distribution", event, made=made, event=event)


@calls_of("ctc_loss")
def _steps_of_logs(event: Event, findings: Findings) -> None:
    values = values_of(event.argument(0, "log_probs"))
    if values is not None and values.ndim and not _logs(values, values.ndim - 1):
        findings.tell("no log-probabilities: ctc_loss", event)


@calls_of("ctc_loss")
def _blank_among_targets(event: Event, findings: Findings) -> None:
    """Say where targets of ctc_loss hold the class that stands for no label."""
    target, lengths = event.argument(1, "targets"), event.argument(3, "target_lengths")
    labels = values_of(target)
    sizes = values_of(lengths) if isinstance(lengths, TensorBase) else np.asarray(lengths)
    blank = event.argument(4, "blank", 0)
    if labels is None or sizes is None or labels.ndim not in (1, 2):
        return
    if labels.ndim == 2 and sizes.shape == labels.shape[:1]:
        labels = labels[np.arange(labels.shape[1]) < sizes[:, None]]
    count = int((labels == blank).sum())
    if count:
        findings.tell("blank among the labels", event, count=count, labels=labels, blank=blank)
