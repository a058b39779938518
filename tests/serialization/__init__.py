"""Tests of checkpoints."""
