"""Expressions about the namespaces around programs, each with the value or the error that torch has."""

from __future__ import annotations

#: What must be as in torch, letter for letter.
SAME = """
torch.torch_version.TorchVersion("2.1.0a") < "2.1"
torch.torch_version.TorchVersion("1.10") > "1.9"
torch.torch_version.TorchVersion("1.10.0.post1") > (1, 10)
torch.torch_version.TorchVersion("2.0.0.dev20240101") < "2.0.0a1"
torch.torch_version.TorchVersion("2.0+cpu") > "2.0"
torch.torch_version.TorchVersion("2.0+10") > "2.0+9"
torch.torch_version.TorchVersion("2.0") == "2.0.0"
torch.torch_version.TorchVersion("2.0") != (2, 0)
torch.torch_version.TorchVersion("2.0") == "parrot"
torch.torch_version.TorchVersion("2.0") >= "parrot"
torch.torch_version.TorchVersion("2.0") >= 2
torch.torch_version.TorchVersion("2.0rc1") <= "2.0rc2"
torch.__version__ >= (2, 0)
torch.__version__ >= "2.13.0"
torch.__version__ > "2.13"
torch.__version__ < "2.14"
torch.__version__ >= "parrot"
torch.__version__ >= 2
torch.__version__.split(".")[:2]
torch.version.cuda
torch.version.hip
torch.version.debug
torch.cuda.is_available()
torch.cuda.device_count()
torch.cuda.current_device()
torch.cuda.get_device_name(0)
torch.cuda.get_device_capability()
torch.cuda.get_device_properties(0)
torch.cuda.synchronize()
torch.cuda.empty_cache()
torch.cuda.manual_seed(0)
torch.cuda.manual_seed_all(0)
torch.cuda.seed_all()
torch.cuda.initial_seed()
torch.cuda.get_rng_state()
torch.cuda.get_rng_state_all()
torch.cuda.set_rng_state_all([])
torch.cuda.memory_allocated()
torch.cuda.max_memory_allocated("cuda:0")
torch.cuda.memory_reserved()
torch.cuda.memory_stats()
torch.cuda.mem_get_info()
torch.cuda.set_device(-1)
torch.cuda.device(0).__enter__()
torch.cuda.device("cpu")
torch.cuda.Stream()
torch.cuda.Event(enable_timing=True)
torch.cuda.current_stream()
torch.cuda.stream(None).__enter__()
torch.cuda.is_initialized()
torch.cuda.init()
torch.cuda.is_bf16_supported()
torch.cuda.get_arch_list()
torch.cuda.is_current_stream_capturing()
torch.cuda.nvtx.range_push("a")
torch.cuda.utilization()
torch.cuda.default_generators
torch.cuda.CUDAGraph()
torch.cuda.OutOfMemoryError
torch.cuda.OutOfMemoryError is torch.OutOfMemoryError
torch.cuda.comm
torch.cuda.random.manual_seed(1)
torch.cuda.memory.max_memory_reserved()
torch.mps.is_available()
torch.mps.device_count()
torch.mps.synchronize()
torch.mps.empty_cache()
torch.mps.manual_seed(0)
torch.mps.seed()
torch.mps.current_allocated_memory()
torch.mps.Event()
torch.xpu.is_available()
torch.xpu.device_count()
torch.xpu.synchronize()
torch.xpu.empty_cache()
torch.xpu.manual_seed_all(0)
torch.xpu.current_device()
torch.xpu.Stream()
torch.xpu.memory_allocated()
torch.xpu.device(0).__enter__()
torch.mtia.is_available()
torch.mtia.device_count()
torch.mtia.synchronize()
torch.accelerator.is_available()
torch.accelerator.device_count()
torch.accelerator.current_accelerator()
torch.accelerator.current_accelerator(True)
torch.accelerator.current_device_index()
torch.accelerator.synchronize()
torch.accelerator.memory_allocated()
torch.accelerator.device_index(0).__enter__()
torch.accelerator.device_index(None).__enter__()
torch.cpu.is_available()
torch.cpu.synchronize()
torch.cpu.current_device()
torch.cpu.device_count()
torch.cpu.Stream().record_event()
torch.cpu.Event().query()
torch.cpu.is_initialized()
torch.backends.cuda.is_built()
torch.backends.cuda.matmul.allow_tf32
torch.backends.cuda.matmul.foo
torch.backends.cuda.matmul.fp32_precision
torch.backends.cuda.cufft_plan_cache.size
torch.backends.cuda.flash_sdp_enabled()
torch.backends.cudnn.is_available()
torch.backends.cudnn.version()
torch.backends.cudnn.enabled
torch.backends.cudnn.benchmark
torch.backends.cudnn.deterministic
torch.backends.cudnn.allow_tf32
torch.backends.cudnn.is_acceptable(torch.ones(1))
torch.backends.mps.is_available()
torch.backends.mps.is_built()
torch.backends.mps.is_macos_or_newer(14, 0)
torch.backends.mkldnn.enabled
torch.backends.opt_einsum.is_available()
torch.backends.mha.get_fastpath_enabled()
torch.get_device_module("foo")
torch.get_device_module("meta")
torch.get_device_module(3)
torch.get_device_module() is torch.cpu
torch.get_device_module(torch.device("cuda:1")) is torch.cuda
torch.compiled_with_cxx11_abi()
torch.is_vulkan_available()
torch.cudnn_is_acceptable(torch.ones(1))
torch.has_lapack
torch.has_spectral
torch.Stream()
torch.Stream("cpu").synchronize()
torch.Stream("cuda")
torch.Event()
torch.Event("cuda")
torch.Event().record()
torch.compile(1)
torch.compile(abs, mode="foo")
torch.compile(abs, backend="foo")
torch.compile(abs, mode="default", options={"a": 1})
torch.compile(torch.nn.Linear(2, 2))
sorted(torch.compile(torch.nn.Linear(2, 2)).state_dict())
isinstance(torch.compile(torch.nn.Linear(2, 2)), torch._dynamo.eval_frame.OptimizedModule)
torch._dynamo.OptimizedModule is torch._dynamo.eval_frame.OptimizedModule
(torch._dynamo.config.cache_size_limit, torch._dynamo.config.suppress_errors)
(torch._inductor.config.coordinate_descent_tuning, torch._inductor.config.triton.unique_kernel_names)
torch.compiler.is_compiling()
torch.compiler.is_dynamo_compiling()
torch.compiler.is_exporting()
torch.compiler.list_backends()
torch.compiler.get_default_backend()
(torch.compiler.set_default_backend(None), torch.compiler.get_default_backend())
torch.compiler.set_stance("force_eager").__enter__()
torch.compiler.cudagraph_mark_step_begin()
torch.jit.is_scripting()
torch.jit.is_tracing()
torch.jit.annotate(int, 3)
torch.jit.isinstance([1], list)
torch.jit.isinstance([1, 2], list[int])
torch.jit.isinstance({"a": 1}, dict[str, float])
torch.jit.fork(abs, -3).wait()
torch.jit.wait(torch.jit.fork(abs, -3))
torch.futures.Future().done()
torch.futures.collect_all([]).wait()
torch.return_types.max([1, 2])
torch.return_types.sort
torch.types.Number
torch.utils._pytree.tree_flatten({"b": 1, "a": (2, [3, None])})
torch.utils._pytree.tree_flatten_with_path({"a": [1, (2,)]})
torch.utils._pytree.tree_structure({"a": [1, (2,)]}).num_leaves
torch.utils._pytree.tree_structure({"a": [1, (2,)]}).unflatten([1, 2])
torch.utils._pytree.tree_unflatten([1, 2], torch.utils._pytree.tree_structure([1, 2, 3]))
torch.utils._pytree.tree_map(lambda a, b: a + b, [1, 2], [3])
torch.utils._pytree.tree_map(lambda a, b: a + b, [1, 2], (3, 4))
torch.utils._pytree.tree_map(lambda a, b: a + b, {"x": 1}, {"y": 3})
torch.utils._pytree.tree_map(lambda a, b: (a, b), [1, (2, 3)], [4, (5, [6])])
torch.utils._pytree.tree_map_only(int, lambda x: x + 1, [1, "a"])
torch.utils._pytree.tree_all(bool, [1, (2, 0)])
torch.utils._pytree.tree_any(bool, [0, (0, 1)])
torch.utils._pytree.keystr(torch.utils._pytree.tree_leaves_with_path({"a": [1, (2,)]})[1][0])
torch.utils._pytree._broadcast_to_and_flatten([1, (2, 3)], torch.utils._pytree.tree_structure([1, (2, 3)]))
torch.utils._pytree._broadcast_to_and_flatten([1, 2], torch.utils._pytree.tree_structure([1, (2, 3)]))
torch.utils._pytree.treespec_pprint(torch.utils._pytree.tree_structure({"a": [1, (2,)]}))
torch.utils._pytree.register_pytree_node(list, lambda x: (x, None), lambda x, c: x)
""".strip().splitlines()
