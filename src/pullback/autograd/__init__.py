"""torch.autograd: differentiation under torch's names."""

from typing import TYPE_CHECKING

from ..core.node import Node
from ..tensor.backward import backward, grad
from ..tensor.tensor import Tensor
from ..torch_names.exclusions import answer_for
from . import anomaly_mode, forward_ad, function, functional, grad_mode, graph, variable
from .anomaly_mode import detect_anomaly, set_detect_anomaly
from .function import Function
from .grad_mode import enable_grad, inference_mode, no_grad, set_grad_enabled, set_multithreading_enabled
from .gradcheck import GradcheckError, gradcheck, gradgradcheck
from .variable import Variable
from .vjps import vjps

__all__ = [
    "Function", "GradcheckError", "Node", "Tensor", "Variable", "anomaly_mode", "backward", "detect_anomaly",
    "enable_grad", "forward_ad", "function", "functional", "grad", "grad_mode", "gradcheck", "gradgradcheck",
    "graph", "inference_mode", "no_grad", "set_detect_anomaly", "set_grad_enabled",
    "set_multithreading_enabled", "variable", "vjps",
]

if TYPE_CHECKING:
    from . import profiler as profiler
    from . import profiler_util as profiler_util

answer_for(globals(), "profiler", "profiler_util")
