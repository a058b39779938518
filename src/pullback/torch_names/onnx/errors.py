"""torch.onnx.errors: what goes wrong when a model is exported."""


class OnnxExporterError(RuntimeError):
    """A model cannot be exported."""

    __module__ = "torch.onnx"


class UnsupportedOperatorError(OnnxExporterError):
    """ONNX has nothing for an operation of the model."""

    __module__ = "torch.onnx.errors"


class OnnxExporterWarning(UserWarning):
    """Warn of what an export leaves out."""

    __module__ = "torch.onnx.errors"


__all__ = ["OnnxExporterError", "OnnxExporterWarning", "UnsupportedOperatorError"]
