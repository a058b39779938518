"""Kernels on bare NumPy arrays: no Tensors, no derivatives, no names of torch's."""
