"""torch.func: derivatives and batching as functions of functions."""

from ..torch_names.exclusions import answer_for
from .functional_call import functional_call, replace_all_batch_norm_modules_, stack_module_state
from .functionalize import debug_unwrap, functionalize
from .jacobians import hessian, jacfwd, jacrev
from .linearize import linearize

# ours, as in jax.lax
from .loops import cond as cond
from .loops import fori_loop as fori_loop
from .loops import scan as scan
from .loops import while_loop as while_loop
from .per_sample import per_sample_gradients as per_sample_gradients  # ours: not among torch's in __all__
from .rearrange import rearrange
from .transforms import grad, grad_and_value, jvp, vjp
from .vmap import vmap

__all__ = [
    "grad", "grad_and_value", "vmap", "replace_all_batch_norm_modules_", "functionalize", "hessian", "jacfwd",
    "jacrev", "jvp", "linearize", "rearrange", "vjp", "functional_call", "stack_module_state", "debug_unwrap",
]

answer_for(globals())
