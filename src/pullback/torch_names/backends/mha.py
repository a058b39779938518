"""torch.backends.mha: the switch of a fused path of attention, which this build does without."""

from ...core.settings import SETTINGS


def get_fastpath_enabled() -> bool:
    """Return whether the fused path is allowed."""
    return SETTINGS.fast_attention


def set_fastpath_enabled(value: bool) -> None:
    """Allow or forbid it."""
    SETTINGS.fast_attention = value


__all__ = ["get_fastpath_enabled", "set_fastpath_enabled"]
