"""torch.nn._reduction: reductions of losses as the numbers by which torch's C++ part knows them."""

from .functional.loss_reduction import REDUCTIONS, check_reduction, legacy_reduction

__all__ = ["get_enum", "legacy_get_enum", "legacy_get_string"]


def get_enum(reduction: str) -> int:
    """Return the number of a reduction.

    Parameters
    ----------
    reduction : {"none", "mean", "sum"}

    Raises
    ------
    ValueError
        For another name.
    """
    check_reduction(reduction)
    return REDUCTIONS.index(reduction)


def legacy_get_string(size_average: bool | None, reduce: bool | None, emit_warning: bool = True) -> str:
    """Return the reduction that two older options mean.

    Parameters
    ----------
    size_average, reduce : bool, optional
        None stands for True.
    emit_warning : bool
        Whether to warn that they are deprecated.
    """
    if emit_warning:
        return legacy_reduction(size_average is not False, reduce is not False, "mean")
    return "none" if reduce is False else ("sum" if size_average is False else "mean")


def legacy_get_enum(size_average: bool | None, reduce: bool | None, emit_warning: bool = True) -> int:
    """Return :func:`legacy_get_string` as a number."""
    return get_enum(legacy_get_string(size_average, reduce, emit_warning))
