"""torch.cuda.graphs: nothing can be captured where there is no device."""

from .. import cuda as _cuda

CUDAGraph, graph = _cuda.CUDAGraph, _cuda.graph
graph_pool_handle, is_current_stream_capturing = _cuda.graph_pool_handle, _cuda.is_current_stream_capturing
make_graphed_callables = _cuda.make_graphed_callables

__all__ = ["CUDAGraph", "graph", "graph_pool_handle", "is_current_stream_capturing", "make_graphed_callables"]
