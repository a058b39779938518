"""Modules of torch's that are not part of pullback, and names that modules declare in torch and not here.

Together with `exclusions.py` this holds every public name of every public module of torch that is not there;
`tests/test_exclusions.py` compares it with the names that `tools/record_names.py` has recorded.
"""

from __future__ import annotations

#: Reason -> modules of torch's that are not there, with all below them.
MODULES: dict[str, str] = {
    "accelerators and the libraries behind them": (
        "accelerator.graphs accelerator.memory backends.python_native backends.xeon backends.xnnpack "
        "cpu.amp.autocast_mode cpu.amp.grad_scaler cuda.amp.autocast_mode cuda.amp.grad_scaler cuda.comm "
        "cuda.gds cuda.green_contexts cuda.jiterator cuda.sparse cuda.tunable mps.event mps.profiler "
        "mtia.memory mtia.mtia_graph nn.attention.experimental nn.attention.varlen sparse.semi_structured "
        "utils.backend_registration utils.mkldnn xpu.graphs xpu.memory xpu.random xpu.streams"
    ),
    "quantized tensors": (
        "ao.nn ao.ns ao.pruning ao.quantization.backend_config ao.quantization.fake_quantize "
        "ao.quantization.fuse_modules ao.quantization.fuser_method_mappings ao.quantization.fx "
        "ao.quantization.observer ao.quantization.qconfig ao.quantization.qconfig_mapping "
        "ao.quantization.quant_type ao.quantization.quantization_mappings ao.quantization.quantize "
        "ao.quantization.quantize_fx ao.quantization.quantize_jit ao.quantization.stubs "
        "ao.quantization.utils backends.quantized nn.intrinsic nn.qat nn.quantizable nn.quantized "
        "quantization"
    ),
    "the inside of torch's dispatcher and build": (
        "autograd.profiler_legacy contrib monitor multiprocessing.pool multiprocessing.queue numa "
        "profiler.itt profiler.profiler profiler.python_tracer utils.backcompat utils.benchmark.examples "
        "utils.benchmark.op_fuzzers utils.benchmark.utils utils.cpp_backtrace utils.debug_log "
        "utils.file_baton utils.hipify utils.module_tracker utils.serialization utils.show_pickle "
        "utils.throughput_benchmark utils.viz"
    ),
    "symbolic shapes and the graph compiler": (
        "compiler.config export.custom_obj export.custom_ops export.decomp_utils export.experimental "
        "export.passes export.pt2_archive export.unflatten fx.annotate fx.config "
        "fx.experimental.accelerator_partitioner "
        "fx.experimental.const_fold fx.experimental.debug fx.experimental.dynamic_spec "
        "fx.experimental.graph_gradual_typechecker fx.experimental.merge_matmul fx.experimental.meta_tracer "
        "fx.experimental.migrate_gradual_types fx.experimental.normalize fx.experimental.optimization "
        "fx.experimental.partitioner_utils fx.experimental.recording fx.experimental.refinement_types "
        "fx.experimental.rewriter fx.experimental.schema_type_annotation fx.experimental.sym_node "
        "fx.experimental.symbolic_shapes fx.experimental.unification fx.experimental.unify_refinements "
        "fx.experimental.validator fx.operator_schemas fx.passes.annotate_getitem_nodes fx.passes.backends "
        "fx.passes.dialect fx.passes.fake_tensor_prop fx.passes.graph_drawer fx.passes.graph_manipulation "
        "fx.passes.graph_transform_observer fx.passes.infra fx.passes.net_min_base "
        "fx.passes.operator_support fx.passes.param_fetch fx.passes.pass_manager "
        "fx.passes.regional_inductor fx.passes.regional_inductor_invoke_subgraph fx.passes.reinplace "
        "fx.passes.runtime_assert fx.passes.split_module fx.passes.split_utils fx.passes.splitter_base "
        "fx.passes.tests fx.passes.tools_common fx.passes.utils fx.tensor_type fx.traceback"
    ),
    "distributed programs beyond data parallelism": (
        "distributed.algorithms.ddp_comm_hooks.ddp_zero_hook "
        "distributed.algorithms.ddp_comm_hooks.mixed_precision_hooks "
        "distributed.algorithms.ddp_comm_hooks.optimizer_overlap_hooks "
        "distributed.algorithms.ddp_comm_hooks.quantization_hooks "
        "distributed.argparse_util distributed.c10d_logger "
        "distributed.checkpoint.logger distributed.checkpoint.logging_handlers "
        "distributed.checkpoint.quantized_hf_storage "
        "distributed.checkpoint.resharding "
        "distributed.collective_utils distributed.config distributed.debug distributed.elastic.agent "
        "distributed.elastic.control_plane distributed.elastic.events distributed.elastic.metrics "
        "distributed.elastic.multiprocessing.api "
        "distributed.elastic.multiprocessing.errors.error_handler "
        "distributed.elastic.multiprocessing.errors.handlers "
        "distributed.elastic.multiprocessing.redirects "
        "distributed.elastic.multiprocessing.subprocess_handler "
        "distributed.elastic.multiprocessing.tail_log distributed.elastic.rendezvous "
        "distributed.elastic.timer distributed.elastic.utils distributed.flight_recorder "
        "distributed.launcher distributed.logging_handlers "
        "distributed.nn.api distributed.nn.jit distributed.optim.apply_optimizer_in_backward "
        "distributed.optim.functional_adadelta distributed.optim.functional_adagrad "
        "distributed.optim.functional_adam distributed.optim.functional_adamax "
        "distributed.optim.functional_adamw distributed.optim.functional_rmsprop "
        "distributed.optim.functional_rprop distributed.optim.functional_sgd "
        "distributed.optim.named_optimizer distributed.optim.optimizer "
        "distributed.optim.utils "
        "distributed.remote_device "
        "distributed.rpc.api distributed.rpc.backend_registry distributed.rpc.constants "
        "distributed.rpc.functions distributed.rpc.internal distributed.rpc.options "
        "distributed.rpc.rref_proxy distributed.rpc.server_process_global_profiler "
        "distributed.tensor.debug distributed.tensor.device_mesh distributed.tensor.parallel.ddp "
        "distributed.tensor.parallel.fsdp distributed.tensor.parallel.input_reshard "
    ),
    "TorchScript": (
        "jit.frontend jit.generate_bytecode jit.mobile jit.quantized jit.supported_ops "
        "jit.unsupported_tensor_ops nativert utils.bundled_inputs utils.jit utils.mobile_optimizer "
        "utils.model_dump"
    ),
    "functions that are not there yet": (
        "nn.backends nn.cpp nn.modules.linear_cross_entropy nn.modules.linear_cross_entropy_options "
        "signal.windows.windows"
    ),
    "the export to ONNX": (
        "onnx.operators onnx.ops onnx.symbolic_opset10 onnx.symbolic_opset12 "
        "onnx.symbolic_opset13 onnx.symbolic_opset14 onnx.symbolic_opset15 onnx.symbolic_opset16 "
        "onnx.symbolic_opset17 onnx.symbolic_opset18 onnx.symbolic_opset19 onnx.symbolic_opset20 "
        "onnx.symbolic_opset7 onnx.symbolic_opset8 onnx.symbolic_opset9 onnx.testing onnx.utils "
        "onnx.verification"
    ),
    "programs packed into files": "package",
    "DataPipes, which torch has deprecated": (
        "utils.data.backward_compatibility utils.data.datapipes.dataframe utils.data.datapipes.datapipe "
        "utils.data.datapipes.gen_pyi utils.data.datapipes.iter.callable "
        "utils.data.datapipes.iter.combining utils.data.datapipes.iter.filelister "
        "utils.data.datapipes.iter.fileopener utils.data.datapipes.iter.grouping "
        "utils.data.datapipes.iter.routeddecoder utils.data.datapipes.iter.selecting "
        "utils.data.datapipes.iter.sharding utils.data.datapipes.iter.streamreader "
        "utils.data.datapipes.iter.utils utils.data.datapipes.map utils.data.datapipes.utils "
        "utils.data.graph utils.data.graph_settings"
    ),
}

#: Reason -> module that is there -> names that it declares in torch and not here.
DECLARED: dict[str, dict[str, str]] = {
    "accelerators and the libraries behind them": {
        "torch.accelerator": "Graph",
        "torch.backends.cuda": (
            "SDPAParams blas_workspace_size can_use_cudnn_attention can_use_efficient_attention "
            "can_use_flash_attention cuBLASModule cuFFTPlanCache cuFFTPlanCacheAttrContextProp "
            "cuFFTPlanCacheManager cublas_workspace_size cublaslt_workspace_size is_ck_sdpa_available "
            "preferred_blas_library preferred_linalg_library preferred_rocm_fa_library"
        ),
        "torch.backends.cusparselt": "get_max_alg_id version",
        "torch.backends.mps": "get_core_count get_name",
        "torch.backends.nnpack": "flags set_flags",
        "torch.cpu": "get_capabilities",
        "torch.cuda": (
            "BFloat16Storage BoolStorage ByteStorage CharStorage ComplexDoubleStorage ComplexFloatStorage "
            "DoubleStorage FloatStorage GreenContext HalfStorage IntStorage LongStorage ShortStorage "
            "caching_allocator_disabled check_error cudaStatus jiterator sparse tunable use_mem_pool"
        ),
        "torch.cuda.memory": (
            "CUDAPluggableAllocator MemPool caching_allocator_disabled reset_accumulated_host_memory_stats "
            "reset_peak_host_memory_stats use_mem_pool"
        ),
        "torch.mps": "profiler",
        "torch.mtia": (
            "MTIAGraph attach_out_of_memory_observer current_stream default_stream device "
            "get_device_capability get_device_properties get_rng_state get_rng_state_all graph "
            "graph_pool_handle init initial_seed memory_stats record_memory_history reset_peak_memory_stats "
            "set_device set_rng_state set_rng_state_all set_stream snapshot stream"
        ),
        "torch.nn.attention": (
            "activate_flash_attention_impl current_flash_attention_impl list_flash_attention_impls "
            "register_flash_attention_impl restore_flash_attention_impl"
        ),
        "torch.nn.attention.flex_attention": "FlexKernelOptions",
        "torch.sparse": (
            "SparseSemiStructuredTensor SparseSemiStructuredTensorCUSPARSELT "
            "SparseSemiStructuredTensorCUTLASS as_sparse_gradcheck to_sparse_semi_structured"
        ),
        "torch.xpu": "streams use_mem_pool",
    },
    "functions that are not there yet": {
        "torch.amp.autocast_mode": "autocast_decorator",
        "torch.autograd": "NestedIOFunction enforce_grad_layout_policy",
        "torch.autograd.grad_mode": "enforce_grad_layout_policy",
        "torch.autograd.gradcheck": (
            "get_analytical_jacobian get_numerical_jacobian get_numerical_jacobian_wrt_specific_input"
        ),
        "torch.autograd.graph": "region_activation_memory_budget",
        "torch.nn.modules.loss": "LinearCrossEntropyLoss",
        "torch.optim": "swap_in_optimizer_params_and_state",
        "torch.random": "thread_safe_generator",
    },
    "quantized tensors": {
        "torch.ao": "nn ns pruning",
        "torch.ao.quantization": (
            "AffineQuantizedObserverBase FakeQuantize FakeQuantizeBase FixedQParamsFakeQuantize "
            "FixedQParamsObserver FusedMovingAvgObsFakeQuantize Granularity HistogramObserver MappingType "
            "MinMaxObserver MovingAverageMinMaxObserver MovingAveragePerChannelMinMaxObserver NoopObserver "
            "ObserverBase ObserverOrFakeQuantize PerAxis PerBlock PerChannelMinMaxObserver PerGroup PerRow "
            "PerTensor PerToken PlaceholderObserver QConfig QConfigAny QConfigDynamic QConfigMapping "
            "QuantType QuantWrapper RecordingObserver ReuseInputObserver TorchAODType "
            "UniformQuantizationObserverBase ZeroPointDomain add_quant_dequant convert convert_dynamic_jit "
            "convert_jit default_affine_fixed_qparams_fake_quant default_affine_fixed_qparams_observer "
            "default_debug_observer default_dynamic_fake_quant default_dynamic_quant_observer "
            "default_embedding_fake_quant default_embedding_fake_quant_4bit default_eval_fn "
            "default_fake_quant default_fixed_qparams_range_0to1_fake_quant "
            "default_fixed_qparams_range_0to1_observer default_fixed_qparams_range_neg1to1_fake_quant "
            "default_fixed_qparams_range_neg1to1_observer default_float_qparams_observer "
            "default_float_qparams_observer_4bit default_fused_act_fake_quant "
            "default_fused_per_channel_wt_fake_quant default_fused_wt_fake_quant "
            "default_histogram_fake_quant default_histogram_observer default_observer "
            "default_per_channel_weight_fake_quant default_per_channel_weight_observer "
            "default_placeholder_observer default_reuse_input_observer "
            "default_symmetric_fixed_qparams_fake_quant default_symmetric_fixed_qparams_observer "
            "default_weight_fake_quant default_weight_observer disable_fake_quant disable_observer "
            "enable_fake_quant enable_observer fuse_conv_bn fuse_conv_bn_jit fuse_conv_bn_relu "
            "fuse_convtranspose_bn fuse_linear_bn fuse_modules fuse_modules_qat "
            "fused_per_channel_wt_fake_quant_range_neg_127_to_127 fused_wt_fake_quant_range_neg_127_to_127 "
            "get_block_size get_default_compare_output_module_list get_default_custom_config_dict "
            "get_default_dynamic_quant_module_mappings get_default_dynamic_sparse_quant_module_mappings "
            "get_default_float_to_quantized_operator_mappings get_default_qat_module_mappings "
            "get_default_qat_qconfig get_default_qat_qconfig_dict get_default_qat_qconfig_mapping "
            "get_default_qconfig get_default_qconfig_dict get_default_qconfig_mapping "
            "get_default_qconfig_propagation_list get_default_static_quant_module_mappings "
            "get_default_static_quant_reference_module_mappings "
            "get_default_static_sparse_quant_module_mappings get_dynamic_quant_module_class "
            "get_embedding_qat_module_mappings get_embedding_static_quant_module_mappings get_fuser_method "
            "get_fuser_method_new get_observer_state_dict get_quantized_operator "
            "get_static_quant_module_class load_observer_state_dict no_observer_set "
            "per_channel_weight_observer_range_neg_127_to_127 prepare prepare_dynamic_jit prepare_jit "
            "prepare_qat propagate_qconfig_ qconfig_equals quantize quantize_dynamic quantize_dynamic_jit "
            "quantize_jit quantize_qat script_qconfig script_qconfig_dict swap_module "
            "weight_observer_range_neg_127_to_127"
        ),
    },
    "the inside of torch's dispatcher and build": {
        "torch.autograd.profiler": (
            "EnforceUnique KinetoStepTracker MemRecordsAcc load_nvprof parse_nvprof_trace"
        ),
        "torch.autograd.profiler_util": (
            "EventMetadata FormattedTimesMixin Kernel MemRecordsAcc StringTable"
        ),
        "torch.library": (
            "fallthrough_kernel get_ctx get_kernel register_autocast register_torch_dispatch triton_op "
            "wrap_triton"
        ),
        "torch.multiprocessing.reductions": (
            "SharedCache StorageWeakRef fd_id rebuild_cuda_tensor rebuild_event rebuild_meta_tensor "
            "rebuild_nested_tensor rebuild_sparse_compressed_tensor rebuild_sparse_coo_tensor "
            "rebuild_storage_empty rebuild_storage_fd rebuild_storage_filename rebuild_typed_storage "
            "rebuild_typed_storage_child reduce_event reduce_nested_tensor reduce_sparse_tensor "
            "reduce_storage reduce_typed_storage reduce_typed_storage_child shared_cache storage_from_cache"
        ),
        "torch.overrides": "redispatch_function",
        "torch.profiler": "ExecutionTraceObserver",
        "torch.serialization": (
            "StorageType check_module_version_greater_or_equal get_crc32_options "
            "get_default_load_endianness get_default_mmap_options mkdtemp normalize_storage_type "
            "register_package set_crc32_options set_default_load_endianness set_default_mmap_options "
            "skip_data storage_to_tensor_type validate_cuda_device validate_hpu_device"
        ),
        "torch.utils.collect_env": (
            "check_release_file get_cachingallocator_config get_clang_version get_cmake_version "
            "get_conda_packages get_cpu_info get_cuda_module_loading_config get_cudnn_version "
            "get_gcc_version get_gpu_info get_intel_gpu_detected get_intel_gpu_driver_version "
            "get_intel_gpu_onboard get_libc_version get_linux_pkg_version get_lsb_version get_mac_version "
            "get_nvidia_driver_version get_nvidia_smi get_os get_pip_packages get_platform "
            "get_python_platform get_running_cuda_version get_windows_version is_xnnpack_available run "
            "run_and_parse_first_match run_and_read_all run_and_return_first_line"
        ),
        "torch.utils.cpp_extension": (
            "SyclExtension check_compiler_is_gcc check_compiler_ok_for_platform "
            "get_compiler_abi_compatibility_and_version get_cxx_compiler get_default_build_root "
            "is_ninja_available remove_extension_h_precompiler_headers verify_ninja_availability"
        ),
        "torch.utils.flop_counter": "register_flop_formula",
        "torch.utils.hooks": (
            "BackwardHook unserializable_hook warn_if_has_hooks"
        ),
    },
    "symbolic shapes and the graph compiler": {
        "torch.export": (
            "AdditionalInputs Constraint CustomDecompTable ExportBackwardSignature FlatArgsAdapter "
            "ModuleCallEntry ModuleCallSignature ShapesCollection UnflattenedModule default_decompositions "
            "draft_export register_dataclass unflatten"
        ),
        "torch.export.dynamic_shapes": (
            "AdditionalInputs Constraint refine_dynamic_shapes_from_suggested_fixes"
        ),
        "torch.export.exported_program": "ModuleCallEntry ModuleCallSignature default_decompositions",
        "torch.export.graph_signature": (
            "CustomObjArgument ExportBackwardSignature SymBoolArgument SymFloatArgument SymIntArgument"
        ),
        "torch.compiler": (
            "config keep_portable_guards_unsafe keep_tensor_guards_unsafe load_cache_artifacts "
            "load_compiled_function save_cache_artifacts set_enable_guard_collectives "
            "skip_all_guards_unsafe skip_guard_on_all_nn_modules_unsafe skip_guard_on_globals_unsafe "
            "skip_guard_on_inbuilt_nn_modules_unsafe wrap_numpy"
        ),
        "torch.fx.experimental.proxy_tensor": (
            "DecompositionInterpreter PythonKeyTracer dispatch_trace get_innermost_proxy_mode "
            "handle_sym_dispatch make_fx maybe_disable_thunkify maybe_enable_thunkify py_sym_types "
            "selective_decompose"
        ),
        "torch.fx.graph_module": "reduce_package_graph_module",
        "torch.fx.proxy": "MetaProxy Scope ScopeContextManager",
        "torch.fx.subgraph_rewriter": (
            "ReplacedPatterns replace_pattern_with_filters"
        ),
        "torch.utils.checkpoint": (
            "DefaultDeviceType GraphExecGroup set_checkpoint_debug_enabled"
        ),
    },
    "distributed programs beyond data parallelism": {
        "torch.distributed": (
            "breakpoint"
        ),
        "torch.distributed.distributed_c10d": "GroupName ProcessGroupGloo record_comm reduce_op shrink_group",
        "torch.distributed.elastic.multiprocessing": (
            "DefaultLogsSpecs LogsDest LogsSpecs MultiprocessContext PContext ProcessFailure RunProcsResult "
            "SignalException Std SubprocessContext start_processes to_map"
        ),
        "torch.distributed.elastic.multiprocessing.errors": (
            "ErrorHandler ProcessFailure get_error_handler"
        ),
        "torch.distributed.checkpoint.filesystem": "FileSystem FileSystemBase SerializationFormat",
        "torch.distributed.checkpoint.state_dict": (
            "DictValueType FQNS_T ListDictValueType OptimizerStateType PrimitiveType ValueType"
        ),
        "torch.distributed.checkpoint.utils": "find_state_dict_object find_tensor_shard",
        "torch.distributed.fsdp": "DataParallelMeshDims share_comm_ctx",
        "torch.distributed.optim": (
            "DistributedOptimizer as_functional_optim"
        ),
        "torch.distributed.rpc": (
            "AllGatherStates BackendType TensorPipeRpcBackendOptions method_factory new_method"
        ),
        "torch.distributed.run": (
            "config_from_args determine_local_world_size get_rdzv_endpoint get_use_env parse_min_max_nnodes "
            "run_script_path"
        ),
        "torch.distributed.tensor.experimental": "context_parallel local_map register_sharding",
    },
    "TorchScript": {
        "torch.jit": "export_opnames strict_fusion",
        "torch.jit.annotations": (
            "AnyType ComplexType DictType FloatType IntType ListType Module StringType TensorType TupleType "
            "ann_to_type check_fn get_param_names get_signature get_type_line is_dict is_list is_optional "
            "is_tuple is_union parse_type_line split_type_line try_ann_to_type try_real_annotations"
        ),
    },
    "the export to ONNX": {
        "torch.onnx": (
            "ExportableModule InputObserver ops"
        ),
        "torch.onnx.errors": "SymbolicValueError",
    },
    "functional forms of optimizers": {
        "torch.optim.adadelta": "adadelta",
        "torch.optim.adagrad": "adagrad",
        "torch.optim.adam": "adam",
        "torch.optim.adamax": "adamax",
        "torch.optim.adamw": "adamw",
        "torch.optim.asgd": "asgd",
        "torch.optim.nadam": "nadam",
        "torch.optim.optimizer": (
            "register_optimizer_step_post_hook register_optimizer_step_pre_hook"
        ),
        "torch.optim.radam": "radam",
        "torch.optim.rmsprop": "rmsprop",
        "torch.optim.rprop": "rprop",
        "torch.optim.sgd": "sgd",
    },
    "results that an operator writes into tensors it is given": {
        "torch.return_types": (
            "aminmax_out cummax_out cummin_out frexp_out geqrf_out histogram_out kthvalue_out "
            "linalg_cholesky_ex_out linalg_eig_out linalg_eigh_out linalg_inv_ex_out "
            "linalg_ldl_factor_ex_out linalg_ldl_factor_out linalg_lstsq_out linalg_lu_factor_ex_out "
            "linalg_lu_factor_out linalg_lu_out linalg_qr_out linalg_slogdet_out linalg_solve_ex_out "
            "linalg_svd_out lu_unpack_out max_out median_out min_out mode_out nanmedian_out "
            "pytree_register_structseq qr_out slogdet_out sort_out svd_out topk_out triangular_solve_out"
        ),
    },
    "DataPipes, which torch has deprecated": {
        "torch.utils.data": (
            "DFIterDataPipe DataChunk IterDataPipe MapDataPipe argument_validation functional_datapipe "
            "guaranteed_datapipes_determinism non_deterministic runtime_validation "
            "runtime_validation_disabled"
        ),
        "torch.utils.data.datapipes.iter": (
            "Batcher Collator Concater Demultiplexer FileLister FileOpener Filter Forker Grouper "
            "IterableWrapper Mapper Multiplexer RoutedDecoder Sampler ShardingFilter Shuffler "
            "StreamReader UnBatcher Zipper"
        ),
    },
}
