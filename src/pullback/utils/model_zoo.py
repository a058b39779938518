"""torch.utils.model_zoo: `torch.hub.load_state_dict_from_url` under its former name."""

from ..torch_names.hub import load_state_dict_from_url as load_url
from ..torch_names.hub import tqdm_for

__all__ = ["load_url"]

__getattr__ = tqdm_for("torch.utils.model_zoo", __all__)
