"""torch.fx.experimental: what libraries ask whether a program is being traced into torch's own ops."""
