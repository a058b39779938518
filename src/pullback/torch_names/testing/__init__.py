"""torch.testing: comparing what a test got with what it wants, and making tensors for tests."""

from .comparison import assert_allclose, assert_close
from .creation import make_tensor

__all__ = ["assert_allclose", "assert_close", "make_tensor"]
