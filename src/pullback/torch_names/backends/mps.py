"""torch.backends.mps: not part of this build."""

from ..absent_devices import refusing
from .switches import is_available

is_built = is_available

globals().update(
    refusing("is_macos_or_newer is_macos13_or_newer", "torch.backends.mps", RuntimeError,
             "Cannot execute isOnMacOSorNewer() without MPS backend.")
)  # fmt: skip
