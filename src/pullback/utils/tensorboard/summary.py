"""torch.utils.tensorboard.summary: the records of TensorBoard's files.

There are scalars, histograms, images, texts and hyperparameters; `writer` puts them into files.
"""

import struct
import zlib
from typing import Any

import numpy as np
from google.protobuf.struct_pb2 import ListValue, Value  # type: ignore[import-untyped]  # it comes without types
from numpy import ndarray
from tensorboard.compat.proto.summary_pb2 import HistogramProto, Summary, SummaryMetadata
from tensorboard.compat.proto.tensor_pb2 import TensorProto
from tensorboard.compat.proto.tensor_shape_pb2 import TensorShapeProto
from tensorboard.plugins.hparams import api_pb2, metadata
from tensorboard.plugins.hparams.plugin_data_pb2 import HParamsPluginData, SessionEndInfo, SessionStartInfo

from ...core.value import TensorBase
from ...tensor.tensor import Tensor

__all__ = ["histogram", "hparams", "image", "scalar", "text"]


def as_array(value: Any) -> ndarray:
    """Return a tensor, an array or a number as an array of at least one dimension."""
    if isinstance(value, Tensor):
        value = value.detach()
        return np.atleast_1d(value.float().numpy() if value.dtype.itemsize == 2 else value.numpy())
    if isinstance(value, TensorBase) or not isinstance(value, ndarray | np.generic | int | float | list):
        raise NotImplementedError(f"Got {type(value)}, but numpy array or torch tensor are expected.")
    return np.atleast_1d(np.asarray(value))


def scalar(
    name: str, tensor: Any, collections: Any = None, new_style: bool = False, double_precision: bool = False
) -> Any:
    """Return the record of a number."""
    if (number := as_array(tensor).squeeze()).ndim:
        raise AssertionError(
            f"Tensor should contain one element (0 dimensions). Was given size: {number.size}"
        )
    told = float(number)
    if not new_style:
        return Summary(value=[Summary.Value(tag=name, simple_value=told)])
    proto = (
        TensorProto(double_val=[told], dtype="DT_DOUBLE") if double_precision
        else TensorProto(float_val=[told], dtype="DT_FLOAT")
    )  # fmt: skip
    plugin = SummaryMetadata.PluginData(plugin_name="scalars")
    about = SummaryMetadata(plugin_data=plugin)
    return Summary(value=[Summary.Value(tag=name, tensor=proto, metadata=about)])


def default_bins() -> list[float]:
    """Return TensorFlow's bins: from 1e−12 by steps of a tenth to 1e20, and the same below 0."""
    bins = []
    edge = 1e-12
    while edge < 1e20:
        bins.append(edge)
        edge *= 1.1
    return [*(-b for b in reversed(bins)), 0.0, *bins]


def histogram(name: str, values: Any, bins: Any, max_bins: int | None = None) -> Any:
    """Return the record of a distribution of values; empty bins at both ends are left out, but one."""
    flat = as_array(values).astype(float).reshape(-1)
    if flat.size == 0:
        raise ValueError("The input has no element.")
    counts, limits = np.histogram(flat, bins=default_bins() if bins == "tensorflow" else bins)
    if max_bins is not None and len(counts) > max_bins:
        together = len(counts) // max_bins
        rest = -len(counts) % together
        counts = np.concatenate([counts, np.zeros(rest, counts.dtype)]).reshape(-1, together).sum(1)
        limits = np.append(limits[:-1:together], limits[-1])
    filled = np.flatnonzero(counts)
    start, end = int(filled[0]), int(filled[-1]) + 1
    counts = counts[start - 1 : end] if start else np.concatenate([[0], counts[:end]])
    return Summary(value=[Summary.Value(tag=name, histo=HistogramProto(
        min=flat.min(), max=flat.max(), num=len(flat), sum=flat.sum(), sum_squares=flat.dot(flat),
        bucket_limit=limits[start : end + 1].tolist(), bucket=counts.tolist(),
    ))])  # fmt: skip


def in_height_width_channels(images: ndarray, order: str) -> ndarray:
    """Return an image, or a grid of several, with three channels (or four) last."""
    order = order.upper()
    if len(order) != images.ndim or len(set(order)) != len(order):
        raise AssertionError(
            f"size of input tensor and input format are different. tensor shape: {images.shape}, "
            f"input_format: {order}"
        )
    if "N" in order:
        batch = images.transpose([order.index(c) for c in "NHWC"])
        count, height, width, channels = batch.shape
        columns = min(count, 8)
        rows = -(-count // columns)
        image = np.zeros((rows * height, columns * width, max(channels, 3)), images.dtype)
        for k, each in enumerate(batch):
            top, left = k // columns * height, k % columns * width
            image[top : top + height, left : left + width] = each
        return image
    if "C" not in order:
        return np.repeat(images.transpose([order.index(c) for c in "HW"])[..., None], 3, 2)
    image = images.transpose([order.index(c) for c in "HWC"])
    return np.repeat(image, 3, 2) if image.shape[2] == 1 else image


def image(tag: str, tensor: Any, rescale: float = 1, dataformats: str = "NCHW") -> Any:
    """Return the record of an image as PNG; values of floating dtypes go from 0 to 1, of uint8 to 255.

    Raises
    ------
    NotImplementedError
        The image is to be made larger or smaller: `rescale` is not 1.
    """
    if rescale != 1:
        raise NotImplementedError("pullback's image records are not rescaled")
    array = in_height_width_channels(as_array(tensor), dataformats)
    scaled = array if array.dtype == np.uint8 else np.clip(array.astype(np.float32) * 255, 0, 255)
    height, width, channels = array.shape
    return Summary(value=[Summary.Value(tag=tag, image=Summary.Image(
        height=height, width=width, colorspace=channels, encoded_image_string=_png(scaled.astype(np.uint8))
    ))])  # fmt: skip


def _png(pixels: ndarray) -> bytes:
    height, width, channels = pixels.shape

    def chunk(kind: bytes, content: bytes) -> bytes:
        check = zlib.crc32(kind + content)
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", check)

    header = struct.pack(">IIBBBBB", width, height, 8, {3: 2, 4: 6}[channels], 0, 0, 0)
    rows = b"".join(b"\0" + row.tobytes() for row in pixels)
    parts = ((b"IHDR", header), (b"IDAT", zlib.compress(rows)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunk(*part) for part in parts)


def text(tag: str, text: str) -> Any:
    """Return the record of a text."""
    plugin = SummaryMetadata.PluginData(plugin_name="text")
    proto = TensorProto(
        dtype="DT_STRING", string_val=[text.encode("utf-8")],
        tensor_shape=TensorShapeProto(dim=[TensorShapeProto.Dim(size=1)]),
    )  # fmt: skip
    return Summary(value=[Summary.Value(
        tag=tag + "/text_summary", metadata=SummaryMetadata(plugin_data=plugin), tensor=proto
    )])  # fmt: skip


def hparams(hparam_dict: Any = None, metric_dict: Any = None, hparam_domain_discrete: Any = None) -> Any:
    """Return the three records of a run: what is varied and measured, the hyperparameters' values, and its
    end.

    Parameters
    ----------
    hparam_dict : dict
        Strings, numbers and tensors of one element; what is None is left out.
    metric_dict : dict
        Only its names are written.
    hparam_domain_discrete : dict, optional
        Lists of all the values that hyperparameters may have.

    Raises
    ------
    TypeError
        An argument is no dictionary, or a list holds values of another type.
    ValueError
        A hyperparameter is of another type.
    """
    discrete = hparam_domain_discrete or {}
    for name, value in (
        ("hparam_dict", hparam_dict), ("metric_dict", metric_dict), ("hparam_domain_discrete", discrete),
    ):  # fmt: skip
        if not isinstance(value, dict):
            raise TypeError(f"parameter: {name} should be a dictionary, nothing logged.")
    _check_domains(hparam_dict, discrete)
    start = SessionStartInfo()
    infos = []
    for name, value in hparam_dict.items():
        if value is None:
            continue
        if isinstance(value, str):
            start.hparams[name].string_value = value
            kind, field = "DATA_TYPE_STRING", "string_value"
        elif isinstance(value, (int, float, Tensor)):
            start.hparams[name].number_value = float(as_array(value).squeeze())
            kind, field = "DATA_TYPE_FLOAT64", "number_value"
        else:
            raise ValueError("value should be one of int, float, str, bool, or torch.Tensor")
        domain = None
        if name in discrete:
            domain = ListValue(values=[Value(**{field: v}) for v in discrete[name]])
        infos.append(api_pb2.HParamInfo(name=name, type=getattr(api_pb2, kind), domain_discrete=domain))
    measured = [api_pb2.MetricInfo(name=api_pb2.MetricName(tag=name)) for name in metric_dict]
    experiment = api_pb2.Experiment(hparam_infos=infos, metric_infos=measured)
    end = SessionEndInfo(status=api_pb2.Status.Value("STATUS_SUCCESS"))
    return (
        _hparams_record(metadata.EXPERIMENT_TAG, experiment=experiment),
        _hparams_record(metadata.SESSION_START_INFO_TAG, session_start_info=start),
        _hparams_record(metadata.SESSION_END_INFO_TAG, session_end_info=end),
    )


def _check_domains(given: dict[str, Any], discrete: dict[str, Any]) -> None:
    """Refuse lists of values that do not fit the hyperparameters."""
    for name, values in discrete.items():
        expected = type(given.get(name))
        if (
            name not in given
            or not isinstance(values, list)
            or any(not isinstance(v, expected) for v in values)
        ):
            raise TypeError(
                f"parameter: hparam_domain_discrete[{name}] should be a list of same type as "
                f"hparam_dict[{name}]."
            )


def _hparams_record(tag: str, **content: Any) -> Any:
    data = HParamsPluginData(version=metadata.PLUGIN_DATA_VERSION, **content)
    plugin = SummaryMetadata.PluginData(plugin_name=metadata.PLUGIN_NAME, content=data.SerializeToString())
    return Summary(value=[Summary.Value(tag=tag, metadata=SummaryMetadata(plugin_data=plugin))])
