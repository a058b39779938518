"""Tests of torch.utils.data."""
