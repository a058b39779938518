"""torch.cuda.amp.common: whether mixed precision on CUDA is out of the question."""

__all__ = ["amp_definitely_not_available"]


def amp_definitely_not_available() -> bool:
    """Return True: there is no device."""
    return True
