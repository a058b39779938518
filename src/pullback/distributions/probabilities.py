"""Share parameters that are given either as probabilities or as logits."""

from typing import Any, ClassVar

from ..core.size import Size
from .distribution import Distribution
from .utils import NUMBER, broadcast_all, lazy_property, logits_to_probs, probs_to_logits


class ProbsOrLogits(Distribution):
    """A distribution with `probs` and `logits`, of which one is given and the other follows."""

    #: Whether a probability stands for itself; otherwise those of the last axis add up to 1.
    _is_binary = True
    _parameters: ClassVar[tuple[str, ...]] = ("probs", "logits")
    _param: Any

    def __init__(self, probs: Any = None, logits: Any = None, validate_args: bool | None = None) -> None:
        name, value = given_one(probs, logits)
        value, batch_shape = as_parameter(value)
        self._set_given(name, value)
        super().__init__(batch_shape, validate_args=validate_args)

    def _set_given(self, name: str, value: Any) -> None:
        """Set `probs` or `logits`, to its value as a tensor."""
        self._param = value
        setattr(self, name, value)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        new = super().expand(batch_shape, _instance)
        new._param = new.__dict__["logits" if self._param is self.__dict__.get("logits") else "probs"]
        return new

    def _new(self, *args: Any, **kwargs: Any) -> Any:
        return self._param.new(*args, **kwargs)

    @lazy_property
    def logits(self) -> Any:
        """Return log(p / (1 − p)); of categories, log p."""
        return probs_to_logits(self.probs, is_binary=self._is_binary)

    @lazy_property
    def probs(self) -> Any:
        """Return the probabilities p."""
        return logits_to_probs(self.logits, is_binary=self._is_binary)

    @property
    def param_shape(self) -> Any:
        """Return the shape of the parameter that was given."""
        return self._param.size()


def given_one(probs: Any, logits: Any) -> tuple[str, Any]:
    """Return the name and the value of the one that is given, or torch's error."""
    if (probs is None) == (logits is None):
        raise ValueError("Either `probs` or `logits` must be specified, but not both.")
    return ("logits", logits) if probs is None else ("probs", probs)


def as_parameter(value: Any) -> tuple[Any, Size]:
    """Return a parameter as a tensor, and the batch shape that it makes: none where it was a number."""
    (parameter,) = broadcast_all(value)
    return parameter, Size() if isinstance(value, NUMBER) else parameter.size()
