"""Public names of torch that are not part of pullback, each with the reason.

The one list behind the errors of missing names and docs/exclusions.md; a test holds it against the names that
torch has. A name that pullback gets leaves the list.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NoReturn

from . import public_name
from .excluded_modules import DECLARED, MODULES

#: Reason → place → names.
EXCLUDED: dict[str, dict[str, str]] = {
    "sparse tensors": {"torch": "saddmm"},
    "quantized tensors": {
        "torch": (
            "QInt32Storage QInt8Storage QUInt2x4Storage QUInt4x2Storage QUInt8Storage "
            "choose_qparams_optimized dequantize empty_quantized fake_quantize_per_channel_affine "
            "fake_quantize_per_tensor_affine fbgemm_linear_fp16_weight "
            "fbgemm_linear_fp16_weight_fp32_activation fbgemm_linear_int8_weight "
            "fbgemm_linear_int8_weight_fp32_activation fbgemm_linear_quantize_weight "
            "fbgemm_pack_gemm_matrix_fp16 fbgemm_pack_quantized_matrix fused_moving_avg_obs_fake_quant "
            "int_repr per_channel_affine per_channel_affine_float_qparams per_channel_symmetric "
            "per_tensor_affine per_tensor_symmetric q_per_channel_axis q_per_channel_scales "
            "q_per_channel_zero_points q_scale q_zero_point qscheme quantization "
            "quantize_per_channel quantize_per_tensor quantize_per_tensor_dynamic quantized_batch_norm "
            "quantized_gru quantized_gru_cell quantized_lstm quantized_lstm_cell quantized_max_pool1d "
            "quantized_max_pool2d quantized_max_pool3d quantized_rnn_relu_cell quantized_rnn_tanh_cell"
        ),
        "torch.Tensor": (
            "dequantize int_repr q_per_channel_axis q_per_channel_scales q_per_channel_zero_points q_scale "
            "q_zero_point qscheme"
        ),
        "torch.nn.functional": "ScalingType SwizzleType grouped_mm scaled_grouped_mm scaled_mm",
    },
    "nested and masked tensors": {
        "torch": "jagged",
        "torch.nested": "masked_select nested_tensor_from_jagged",
        "torch.Tensor": "to_padded_tensor",
    },
    "TorchScript": {
        "torch": (
            "AggregationType AliasDb AnyType Argument ArgumentSpec AwaitType Block BoolType BufferDict "
            "CallStack Capsule ClassType Code CompilationUnit CompleteArgumentSpec ComplexType "
            "ConcreteModuleType ConcreteModuleTypeBuilder DeepCopyMemoTable DeserializationStorageContext "
            "DictType EnumType ErrorReport ExecutionPlan FileCheck FloatType FunctionSchema "
            "FutureType Gradient Graph GraphExecutorState IODescriptor InferredType IntType "
            "InterfaceType JITException ListType LiteScriptModule LockingLogger LoggerBase ModuleDict "
            "Node NoneType NoopLogger NumberType OperatorInfo OptionalType ParameterDict PyObjectType "
            "PyTorchFileWriter RRefType ScriptClass ScriptClassFunction ScriptDict "
            "ScriptDictIterator ScriptDictKeyIterator ScriptList ScriptListIterator "
            "ScriptMethod ScriptModuleSerializer ScriptObject ScriptObjectProperty "
            "SerializationStorageContext StaticModule StreamObjType StringType SymBoolType SymIntType "
            "TensorType TracingState TupleType Type UnionType Use Value classes fork import_ir_module "
            "import_ir_module_from_buffer merge_type_from_type_comment package parse_ir parse_schema "
            "parse_type_comment unify_type_list wait"
        ),
        "torch.nn.functional": "BroadcastingList1 BroadcastingList2 BroadcastingList3 boolean_dispatch",
    },
    "accelerators and the libraries behind them": {
        "torch": (
            "batch_norm_backward_elemt batch_norm_backward_reduce batch_norm_elemt "
            "batch_norm_gather_stats batch_norm_gather_stats_with_counts batch_norm_stats "
            "batch_norm_update_stats cudnn_affine_grid_generator cudnn_batch_norm cudnn_convolution "
            "cudnn_convolution_add_relu cudnn_convolution_relu cudnn_convolution_transpose "
            "cudnn_grid_sampler miopen_batch_norm miopen_convolution miopen_convolution_add_relu "
            "miopen_convolution_relu miopen_convolution_transpose miopen_ctc_loss "
            "miopen_depthwise_convolution miopen_rnn mkldnn_adaptive_avg_pool2d mkldnn_convolution "
            "mkldnn_linear_backward_weights mkldnn_max_pool2d mkldnn_max_pool3d mkldnn_rnn_layer "
            "profiler_allow_cudagraph_cupti_lazy_reinit_cuda12"
        ),
        "torch.Tensor": "mtia record_stream to_mkldnn",
    },
    "symbolic shapes and the graph compiler": {
        "torch": (
            "sym_constrain_range sym_constrain_range_for_size "
            "sym_float sym_fresh_size sym_int sym_ite sym_max sym_min sym_not sym_sqrt sym_sum "
            "thread_safe_generator"
        ),
    },
    "the inside of torch's dispatcher and build": {
        "torch": (
            "BenchmarkConfig BenchmarkExecutionStats DisableTorchFunction DispatchKey DispatchKeySet "
            "ExcludeDispatchKeyGuard FatalError PRIVATE_OPS Tag ThroughputBenchmark USE_GLOBAL_DEPS "
            "USE_RTLD_GLOBAL_WITH_LIBTORCH classproperty cpp get_file_path init_num_threads monitor "
            "native_norm prepare_multiprocessing_environment windows"
        ),
        "torch.Tensor": "index module_load",
        "torch.nn.functional": (
            "assert_int_or_pair handle_torch_function has_torch_function has_torch_function_unary "
            "has_torch_function_variadic"
        ),
    },
    "functions that torch itself removed": {
        "torch": "eig lstsq matrix_rank solve symeig",
        "torch.Tensor": "eig lstsq reinforce solve symeig",
    },
    "what torch's modules happen to import and parts of their documentation": {
        "torch": (
            "AVG SUM TYPE_CHECKING builtins ctypes functools glob inspect math os platform sys textwrap "
            "threading warnings"
        ),
        "torch.fft": "Tensor common_args factory_common_args torch",
        "torch.linalg": "common_notes",
        "torch.special": "Tensor common_args multi_dim_common torch",
        "torch.nn.functional": (
            "Callable DType GRID_SAMPLE_INTERPOLATION_MODES GRID_SAMPLE_PADDING_MODES Optional TYPE_CHECKING "
            "Tensor dataclasses grad importlib math np reproducibility_notes sparse_support_notes tf32_notes "
            "torch warnings"
        ),
    },
    "autocast under names that torch has deprecated": {
        "torch": (
            "get_autocast_ipu_dtype get_autocast_xla_dtype is_autocast_ipu_enabled "
            "is_autocast_xla_enabled set_autocast_ipu_dtype set_autocast_ipu_enabled "
            "set_autocast_xla_dtype set_autocast_xla_enabled"
        ),
    },
    "storages with a dtype, which torch has deprecated": {
        "torch": (
            "Storage"
        ),
        "torch.Tensor": "storage_type",
    },
    "functions that are not there yet": {
        "torch": "embedding_bag lobpcg slice_inverse",
        "torch.Tensor": "slice_inverse",
    },
}


def excluded(place: str) -> list[str]:
    """Return the names of a place that are not part of pullback."""
    lists = (*EXCLUDED.values(), *DECLARED.values())
    return [name for places in lists for name in places.get(place, "").split()]


def reason(place: str, name: str) -> str | None:
    """Return why a public name of torch is not part of pullback; None where the list does not have it.

    Parameters
    ----------
    place : str
        ``"torch"``, ``"torch.Tensor"``, ``"torch.nn.functional"`` and so on.
    """
    for why, places in (*EXCLUDED.items(), *DECLARED.items()):
        if name in places.get(place, "").split():
            return why
    return None


def module_reason(name: str) -> str | None:
    """Return why a module of torch is not part of pullback; None where the list does not have it."""
    inner = name.removeprefix("torch.")
    for why, modules in MODULES.items():
        if any(inner == module or inner.startswith(f"{module}.") for module in modules.split()):
            return why
    return None


def no_attribute(
    text: str, place: str, name: str, known: Iterable[str], obj: object = None
) -> AttributeError:
    """Build the error for a name that a module or class lacks: torch's text, and a note that helps.

    Parameters
    ----------
    text : str
        What stands before "has no attribute", as Python and torch say it.
    place : str
        As in `reason`.
    name : str
    known : iterable of str
        The names that are there, of which the note gives the nearest.
    obj : object, optional
        What was asked, from which Python makes a suggestion of its own.
    """
    error = AttributeError(f"{text} has no attribute '{name}'", name=name, obj=obj)
    why = reason(place, name)
    near = None if why or name.startswith("_") else nearest(name, known)
    absent = f"{place}.{name} is not part of pullback" + (f" ({why})" if why else "")
    error.add_note(f"Did you mean: '{near}'?" if near else absent)
    return error


def nearest(name: str, known: Iterable[str]) -> str | None:
    """Return the name that a misspelt one is nearest to, whatever its case, if one is near."""
    from difflib import get_close_matches

    alike = [other for other in known if abs(len(other) - len(name)) <= 2 and not other.startswith("_")]
    closeness = 0.6 if len(name) < 5 else 0.75
    found = get_close_matches(name.lower(), {other.lower() for other in alike}, 1, closeness)
    same = [other for other in sorted(alike) if other.lower() in found]
    return max(same, key=lambda other: sum(a == b for a, b in zip(other, name, strict=False)), default=None)


def answer_for(module: dict[str, Any]) -> None:
    """Have a module, given by its variables, raise torch's error for a name that it lacks.

    A call does what a `__getattr__` written there would do, behind which type checkers see no misspelt name.
    """
    place = public_name(module["__name__"]).replace("pullback", "torch", 1)

    def absent(name: str) -> NoReturn:
        raise no_attribute(f"module '{place}'", place, name, module)

    module["__getattr__"] = absent


class Missing:
    """Stand on a class for a name that it does not have, so that the error can say why."""

    def __init__(self, place: str, name: str) -> None:
        self.place = place
        self.name = name

    def __get__(self, instance: object, owner: type) -> NoReturn:
        kind = owner.__name__
        text = f"type object '{kind}'" if instance is None else f"'{kind}' object"
        raise no_attribute(text, self.place, self.name, (), instance)
