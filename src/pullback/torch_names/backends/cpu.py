"""torch.backends.cpu."""

import importlib


def get_cpu_capability() -> str:
    """Name the widest vector instructions that NumPy uses here, in torch's words.

    Returns
    -------
    str
        ``"AVX512"``, ``"AVX2"``, ``"DEFAULT"`` and the like.
    """
    features = importlib.import_module("numpy._core._multiarray_umath").__cpu_features__

    if features.get("AVX512F"):
        return "AVX512"
    return "AVX2" if features.get("AVX2") else "DEFAULT"


__all__ = ["get_cpu_capability"]
