"""torch.cuda.profiler in a build without CUDA."""

from ..absent_devices import refusing

globals().update(
    refusing("init profile start stop", "torch.cuda.profiler", AssertionError,
             "Torch not compiled with CUDA enabled")
)  # fmt: skip
