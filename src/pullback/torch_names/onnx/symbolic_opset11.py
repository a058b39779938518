"""torch.onnx.symbolic_opset11: imported by libraries that say how their ops are exported; it holds nothing,
for pullback writes no ONNX files.
"""
