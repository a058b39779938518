"""pullback: PyTorch's tensors and autograd in pure Python.

``import pullback as torch``. The names of torch's top level are here; packages such as `nn` and `optim` load
when first used. A name that pullback does not have raises an AttributeError that says so.
"""

from __future__ import annotations

import importlib
from functools import cache as _cache
from typing import Any

from .array.deferred_import import uncollected as _uncollected

with _uncollected():
    from . import torch_names as _torch_names
    from .array import large as _large
    from .array import locks as _locks
    from .core import backend as _backend
    from .core import facade as _facade
    from .tensor import namespace as _namespace
    from .torch_names.exclusions import no_attribute as _no_attribute
    from .torch_names.torch_version import __version__

_torch_names.install()
globals().update(_namespace.TOP_LEVEL)


def _native(module: str, name: str) -> Any:
    """Return native kernels of eager ops; None where nothing can be compiled."""
    return None if _large.without_compiler() else _of_compiler(f"eager_kernels.{module}", name)()


@_cache  # an optimizer's step asks each time
def _of_compiler(module: str, name: str) -> Any:
    """Return what a module of the compiler has under a name, loading it on first use."""
    with _locks.importing, _uncollected():
        return getattr(importlib.import_module(f"{__package__}.compiler.{module}"), name)


_backend.provide(
    _of_compiler, lambda: _native("backend", "Kernels"), lambda: _native("ufunc_chains.library", "Chains")
)


def _meaning(error: BaseException, node: Any) -> str | None:
    """Return what an error of the graph means in the program around it."""
    return importlib.import_module(f"{__package__}.explain.raised").note_of(error, node)


_facade.provide(
    torch_names=lambda: importlib.import_module(f"{__package__}.torch_names._aten.translated"),
    meaning=_meaning,
)


#: Packages and modules of torch's that load when first used.
_LAZY = (
    "__config__", "_VF", "_subclasses", "_tensor_str", "_C", "_dynamo", "_inductor", "_higher_order_ops",
    "_custom_ops", "_functorch", "_guards", "_ops", "_utils", "accelerator", "amp", "ao", "autograd",
    "backends", "compiler", "cpu", "cuda", "distributed", "distributions", "explain", "export", "fft", "func",
    "functional", "functorch", "futures", "fx", "hub", "onnx", "jit", "library", "linalg", "masked", "mps",
    "mtia", "multiprocessing", "nested", "nn", "optim", "overrides", "profiler", "quasirandom", "random",
    "return_types", "serialization", "signal", "sparse", "special", "storage", "testing", "torch_version",
    "types", "utils", "version", "xpu",
)

def _places(table: dict[str, str]) -> dict[str, str]:
    return {name: place for place, names in table.items() for name in names.split()}


#: Functions of the top level by the module that has them, which loads when one is first used.
_LATER = _places({
    "tensor.calculus": "cumulative_trapezoid gradient trapezoid trapz",
    "tensor.distances": "cdist pdist",
    "tensor.interchange": "as_tensor asarray from_dlpack from_numpy frombuffer to_dlpack",
    "tensor.low_rank": "pca_lowrank svd_lowrank",
    "tensor.printing": "set_printoptions",
    "tensor.older_norms": "frobenius_norm norm_except_dim nuclear_norm",
    "tensor.windows": "bartlett_window blackman_window hamming_window hann_window kaiser_window",
})  # fmt: skip

#: Names of the top level that live in modules which load when first used.
_LAZY_NAMES = _LATER | _places({
    "autograd.grad_mode":
        "no_grad enable_grad set_grad_enabled inference_mode is_grad_enabled is_inference_mode_enabled",
    "futures": "Future",
    "torch_names.symbolic": "SymBool SymFloat SymInt",
    "tensor.assertions": "_assert_async",
    "autograd.anomaly_mode": "set_anomaly_enabled is_anomaly_enabled is_anomaly_check_nan_enabled",
    "func": "vmap",
    "func.branches": "cond while_loop",
    "cuda": "AcceleratorError OutOfMemoryError",
    "torch_names.streams": "Event Stream",
    "overrides": "_assert",
    "sparse": "dsmm sparse_coo_tensor spmm",
    "tensor.compressed_functions":
        "_convert_indices_from_coo_to_csr _convert_indices_from_csr_to_coo sparse_bsc_tensor "
        "sparse_bsr_tensor sparse_compressed_tensor sparse_csc_tensor sparse_csr_tensor",
    "tensor.sparse_products": "hsmm hspmm smm sspaddmm",
    "tensor.sparse_whole":
        "ccol_indices_copy col_indices_copy crow_indices_copy indices_copy row_indices_copy values_copy "
        "resize_as_sparse_",
    "compiler": "compile",
    "torch_names.conditions":
        "_check _check_index _check_is_size _check_not_implemented _check_tensor_all _check_type "
        "_check_value _check_with",
    "accelerator": "get_device_module",
    "backends":
        "compiled_with_cxx11_abi cudnn_is_acceptable has_lapack has_mkl has_openmp has_spectral "
        "is_vulkan_available",
    "amp": "GradScaler autocast",
    "amp.autocast_mode":
        "autocast_decrement_nesting autocast_increment_nesting clear_autocast_cache get_autocast_cpu_dtype "
        "get_autocast_dtype get_autocast_gpu_dtype is_autocast_cache_enabled is_autocast_cpu_enabled "
        "is_autocast_enabled set_autocast_cache_enabled set_autocast_cpu_dtype set_autocast_cpu_enabled "
        "set_autocast_dtype set_autocast_enabled set_autocast_gpu_dtype",
    "serialization.file_reader": "PyTorchFileReader",
    "storage": "StorageBase",
    "jit": "DeviceObjType ScriptFunction ScriptModule",
    "torch_names.frozen": "freeze load_frozen",
    "command.run": "install",
    "command.notebooks": "load_ipython_extension",
    "serialization": "load save",
    "nn.functional":
        "adaptive_avg_pool1d avg_pool1d bilinear celu_ channel_shuffle conv1d conv2d conv3d conv_tbc "
        "conv_transpose1d conv_transpose2d conv_transpose3d max_pool1d max_pool2d max_pool3d "
        "native_channel_shuffle pixel_shuffle pixel_unshuffle relu_ rms_norm rrelu rrelu_ selu_ threshold_",
    "nn.functional.top_level":
        "adaptive_max_pool1d alpha_dropout alpha_dropout_ batch_norm binary_cross_entropy_with_logits "
        "convolution cosine_embedding_loss ctc_loss dropout dropout_ embedding embedding_renorm_ "
        "feature_alpha_dropout feature_alpha_dropout_ feature_dropout feature_dropout_ group_norm "
        "hinge_embedding_loss instance_norm kl_div layer_norm margin_ranking_loss max_pool1d_with_indices "
        "poisson_nll_loss triplet_margin_loss",
    "nn.functional.fake_quantization": "fake_quantize_per_channel_affine fake_quantize_per_tensor_affine",
    "nn.functional.native": "native_batch_norm native_group_norm native_layer_norm",
    "nn.functional.packing": "_pack_padded_sequence _pad_packed_sequence",
    "nn.functional.recurrent": "gru lstm rnn_relu rnn_tanh",
    "nn.functional.recurrent_cell": "gru_cell lstm_cell rnn_relu_cell rnn_tanh_cell",
    "nn.functional.sampling": "affine_grid_generator grid_sampler grid_sampler_2d grid_sampler_3d",
})  # fmt: skip


def __getattr__(name: str) -> Any:
    if name in _LAZY_NAMES:
        module = importlib.import_module(f"{__package__}.{_LAZY_NAMES[name]}")
        declared = _namespace.declared(name) if name in _LATER else None
        found = getattr(module, name) if declared is None else declared
        if _LAZY_NAMES[name] == "nn.functional" and _namespace.described(name, "nn.functional") is None:
            # The layer's function is a Python function of torch's, the top level has another one.
            found = _namespace.as_function(found, name)
        _namespace.tell("", {name: found})
        globals()[name] = found = _namespace.published(found, name)
        return found
    if name.startswith("_foreach_"):
        functions = importlib.import_module(f"{__package__}.tensor.foreach").FUNCTIONS
        if name in functions:
            return _namespace.published(functions[name], name)
    if name in _LAZY:
        try:
            return importlib.import_module(f"{__package__}.{name}")
        except ModuleNotFoundError as error:
            if error.name != f"{__package__}.{name}":
                raise
    if name == "torch":  # torch's own modules import it, so that programs find it here
        return importlib.import_module(__name__)
    raise _no_attribute("module 'torch'", "torch", name, __dir__())


def __dir__() -> list[str]:
    return sorted({*globals(), *_LAZY, *_LAZY_NAMES})


__all__ = ["__version__", *sorted({*_namespace.TOP_LEVEL, *_LATER})]  # noqa: PLE0604  # torch's names, collected from declarations
