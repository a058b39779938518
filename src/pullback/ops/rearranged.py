"""The view ops once more, under the names of the nodes that their in-place variants leave (``t_``:
TBackward1).
"""

from ..core.op import Call, renamed
from . import strided, view

as_strided = renamed(strided.as_strided, "as_strided_", "AsStridedBackward1")
squeeze = renamed(view.squeeze, "squeeze_", "SqueezeBackward3")
squeeze_dim = renamed(view.squeeze_dim, "squeeze_dim_", "SqueezeBackward4")
squeeze_dims: Call = renamed(view.squeeze_dims, "squeeze_dims_", "SqueezeBackward5")
t: Call = renamed(view.t, "t_", "TBackward1")
#: `transpose_` of a tensor without dimensions.
scalar_transpose = renamed(view.alias, "scalar_transpose_", "TransposeBackward1")
transpose: Call = renamed(view.transpose, "transpose_", "TransposeBackward1")
unsqueeze = renamed(view.unsqueeze, "unsqueeze_", "UnsqueezeBackward1")
