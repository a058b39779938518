"""Torch's own tests of several processes, as far as its wheel has them, run in pullback and in torch."""
