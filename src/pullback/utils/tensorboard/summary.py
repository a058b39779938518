"""torch.utils.tensorboard.summary: records for programs that write TensorBoard's files themselves."""

from __future__ import annotations

from typing import Any

from . import summaries

__all__ = ["histogram", "hparams", "image", "scalar", "text"]


def hparams(hparam_dict: Any = None, metric_dict: Any = None, hparam_domain_discrete: Any = None) -> Any:
    """Return the three records of a run: what is varied and measured, the hyperparameters' values, and its
    end.

    Parameters
    ----------
    hparam_dict : dict
        Strings, numbers and tensors of one element; what is None is left out.
    metric_dict : dict
        Only its names are written.
    hparam_domain_discrete : dict, optional
        Lists of all the values that hyperparameters may have.

    Raises
    ------
    TypeError
        An argument is no dictionary, or a list holds values of another type.
    ValueError
        A hyperparameter is of another type.
    """
    given = {
        "hparam_dict": hparam_dict, "metric_dict": metric_dict,
        "hparam_domain_discrete": hparam_domain_discrete or {},
    }  # fmt: skip
    for name, value in given.items():
        if not isinstance(value, dict):
            raise TypeError(f"parameter: {name} should be a dictionary, nothing logged.")
    return tuple(summaries.hyperparameters(*given.values()))


def scalar(
    name: str, tensor: Any, collections: Any = None, new_style: bool = False, double_precision: bool = False
) -> Any:
    """Return the record of a number."""
    return summaries.scalar(name, tensor, new_style, double_precision)


def histogram(name: str, values: Any, bins: Any, max_bins: int | None = None) -> Any:
    """Return the record of a distribution of values."""
    return summaries.histogram(name, values, bins, max_bins)


def image(tag: str, tensor: Any, rescale: float = 1, dataformats: str = "NCHW") -> Any:
    """Return the record of an image; `rescale` other than 1 is refused.

    Raises
    ------
    NotImplementedError
        The image is to be made larger or smaller.
    """
    if rescale != 1:
        raise NotImplementedError("pullback's image records are not rescaled")
    return summaries.image(tag, tensor, dataformats)


def text(tag: str, text: str) -> Any:
    """Return the record of a text."""
    return summaries.text(tag, text)
