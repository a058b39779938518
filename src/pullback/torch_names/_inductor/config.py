"""torch._inductor.config: settings of torch's code generator with its defaults.

Programs set them, and nothing reads them here.
"""

from types import SimpleNamespace

conv_1x1_as_mm = False
coordinate_descent_check_all_directions = False
coordinate_descent_tuning = False
cpp_wrapper = False
debug = False
epilogue_fusion = True
fallback_random = False
force_fuse_int_mm_with_mul = False
freezing = False
fx_graph_cache = True
max_autotune = False
max_autotune_gemm_backends = "ATEN,TRITON,CPP"
shape_padding = True
split_reductions = True
use_mixed_mm = True

triton = SimpleNamespace(cudagraphs=False, cudagraph_trees=True, unique_kernel_names=True)
