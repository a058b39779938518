"""torch.utils.model_zoo: weights from the network, which pullback does not fetch."""

from typing import Any, NoReturn

from ..errors import with_note
from ..torch_names.exclusions import no_attribute


def load_url(url: str, *_: Any, **__: Any) -> NoReturn:
    """Refuse to fetch a file."""
    raise with_note(
        RuntimeError(f"torch.utils.model_zoo: pullback does not fetch {url} from the network"),
        "Fetch the file yourself and read it with torch.load.",
    )


def __getattr__(name: str) -> Any:
    if name == "tqdm":  # the progress bar, which libraries take from here; a package of its own
        from tqdm import tqdm

        return tqdm
    raise no_attribute("module 'torch.utils.model_zoo'", "torch.utils.model_zoo", name, __all__)


__all__ = ["load_url"]
