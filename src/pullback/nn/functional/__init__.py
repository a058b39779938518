"""torch.nn.functional: the functions of the layers, without their state; what is declared in that namespace,
and what torch's top level has as well.
"""

from ...tensor import namespace  # noqa: F401  # registers `linear`, `pad` and `bilinear`
from ...tensor.api import names
from ...tensor.builtin import publish
from ...tensor.shown_signatures import tell
from ...torch_names.exclusions import answer_for
from . import (  # noqa: F401  # they register the others
    activation,
    attention,
    classification_loss,
    ctc,
    distance_loss,
    dropout,
    embedding,
    embedding_bag,
    fractional_pool,
    linear_loss,
    multi_head,
    normalization,
    patches,
    pooling,
    regression_loss,
    sampling,
)
from .activation import threshold as _threshold  # noqa: F401  # what torch's function is called
from .convolution import (
    conv1d,
    conv2d,
    conv3d,
    conv_tbc,
    conv_transpose1d,
    conv_transpose2d,
    conv_transpose3d,
)
from .vision import channel_shuffle, native_channel_shuffle, pixel_shuffle, pixel_unshuffle

_TOP_LEVEL = (
    channel_shuffle, conv1d, conv2d, conv3d, conv_tbc, conv_transpose1d, conv_transpose2d, conv_transpose3d,
    native_channel_shuffle, pixel_shuffle, pixel_unshuffle,
)  # fmt: skip
_functions = {**names("nn.functional"), **{f.__name__: f for f in _TOP_LEVEL}}
globals().update(_functions)
publish(globals(), "nn.functional")

__all__ = sorted(_functions)  # noqa: PLE0605  # torch's names, collected

answer_for(globals())
tell("nn.functional", {name: globals()[name] for name in __all__})
