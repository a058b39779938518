"""Tests of torch.distributed."""
