"""Name the torch whose behaviour is the specification, with pullback's own version behind the plus.

Libraries ask `torch.__version__` what they may call, so it begins with that torch's number; see
docs/design/0003-version.md. The fields are those of torch.version; no accelerator is built in.
"""

#: pullback's own version; the build reads it here.
VERSION = "0.1.0"
#: The torch whose behaviour was recorded.
TORCH_VERSION = "2.13.0"

__version__ = f"{TORCH_VERSION}+pullback.{VERSION}"
git_version: str | None = None
debug = False
cuda: str | None = None
hip: str | None = None
rocm: str | None = None
xpu: str | None = None

__all__ = ["__version__", "cuda", "debug", "git_version", "hip", "rocm", "xpu"]
