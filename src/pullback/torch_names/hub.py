"""torch.hub: models from the network, which pullback does not fetch.

Code from a repository would run unseen and was written for another library; weights are files, which a
program can fetch itself and read with `torch.load`. What needs no network works: a folder on this machine is
loaded, and the folder of the cache is told.
"""

import importlib.util
import os
import re
import sys
from types import ModuleType
from typing import Any, NoReturn
from urllib.parse import urlparse

from ..core.settings import SETTINGS
from ..errors import with_note
from .exclusions import no_attribute

#: What in a file's name is the beginning of the hash of its content.
HASH_REGEX = re.compile(r"-([a-f0-9]*)\.")


def _refused(what: str) -> NoReturn:
    raise with_note(
        RuntimeError(f"torch.hub: pullback does not fetch {what} from the network"),
        "Fetch the file yourself and read it with torch.load, or give hub.load a folder with source='local'.",
    )


def get_dir() -> str:
    """Return the folder in which torch keeps what it fetched."""
    return os.path.join(_get_torch_home(), "hub") if SETTINGS.hub_folder is None else SETTINGS.hub_folder


def _get_torch_home() -> str:
    """Return the folder of all that torch keeps."""
    cache = os.getenv("XDG_CACHE_HOME", "~/.cache")
    return os.path.expanduser(os.getenv("TORCH_HOME", os.path.join(cache, "torch")))


def set_dir(d: str | os.PathLike[str]) -> None:
    """Choose another folder."""
    SETTINGS.hub_folder = os.path.expanduser(d)


def _local(folder: str) -> ModuleType:
    """Return the module hubconf.py of a folder, which may import what is beside it."""
    path = os.path.join(folder, "hubconf.py")
    spec = importlib.util.spec_from_file_location("hubconf.py", path)
    if spec is None or spec.loader is None or not os.path.isfile(path):
        raise FileNotFoundError(f"[Errno 2] No such file or directory: '{path}'")
    module = importlib.util.module_from_spec(spec)
    sys.path.insert(0, folder)
    try:
        spec.loader.exec_module(module)
    finally:
        sys.path.remove(folder)
    return module


def _entry(module: ModuleType, name: str) -> Any:
    if not isinstance(name, str):
        raise ValueError("Invalid input: model should be a string of function name")
    missing = [p for p in getattr(module, "dependencies", ()) if importlib.util.find_spec(p) is None]
    if missing:
        raise RuntimeError(f"Missing dependencies: {', '.join(missing)}")
    if not callable(function := getattr(module, name, None)):
        raise RuntimeError(f"Cannot find callable {name} in hubconf")
    return function


def _module(repo_or_dir: Any, github: Any, source: str) -> ModuleType:
    if (source := source.lower()) not in ("github", "local"):
        raise ValueError(f'Unknown source: "{source}". Allowed values: "github" | "local".')
    if source == "github":
        _refused(f"the repository {github}")
    return _local(os.path.expanduser(repo_or_dir))


def load(
    repo_or_dir: Any, model: str, *args: Any, source: str = "github", trust_repo: Any = "check",
    force_reload: bool = False, verbose: bool = True, skip_validation: bool = False, **kwargs: Any,
) -> Any:
    """Call an entry of the hubconf.py of a folder.

    Parameters
    ----------
    repo_or_dir : str
        The folder.
    model : str
        The entry.
    source : str
        ``"local"``; ``"github"`` is refused.
    *args, **kwargs
        What the entry is called with.

    Raises
    ------
    RuntimeError
        For what would have to be fetched.
    """
    return _entry(_module(repo_or_dir, repo_or_dir, source), model)(*args, **kwargs)


def list(
    github: Any, force_reload: bool = False, skip_validation: bool = False, trust_repo: Any = "check",
    verbose: bool = True,
) -> NoReturn:
    """Refuse: the entries are those of a repository on the network."""
    _refused(f"the repository {github}")


def help(
    github: Any, model: str, force_reload: bool = False, skip_validation: bool = False,
    trust_repo: Any = "check",
) -> NoReturn:
    """Refuse: the entry is one of a repository on the network."""
    _refused(f"the repository {github}")


def download_url_to_file(
    url: str, dst: str, hash_prefix: str | None = None, progress: bool = True
) -> NoReturn:
    """Refuse to fetch a file."""
    _refused(url)


def load_state_dict_from_url(
    url: str, model_dir: str | None = None, map_location: Any = None, progress: bool = True,
    check_hash: bool = False, file_name: str | None = None, weights_only: bool = False,
) -> Any:
    """Load a checkpoint that is in the cache's folder already; otherwise refuse to fetch it.

    Parameters
    ----------
    url : str
        Where it came from; its last part is the file's name.
    model_dir : str, optional
        The folder, ``get_dir()/checkpoints`` by default.
    file_name : str, optional
        The file's name.
    map_location, weights_only
        As in `load`.
    """
    from ..serialization import load as load_file

    folder = os.path.join(get_dir(), "checkpoints") if model_dir is None else model_dir
    path = os.path.join(folder, file_name or os.path.basename(url.partition("?")[0]))
    if not os.path.isfile(path):
        _refused(url)
    return load_file(path, map_location=map_location, weights_only=weights_only)


def __getattr__(name: str) -> Any:
    if name == "tqdm":  # the progress bar, which libraries take from here; a package of its own
        from tqdm import tqdm

        return tqdm
    raise no_attribute("module 'torch.hub'", "torch.hub", name, __all__)


__all__ = [
    "HASH_REGEX", "download_url_to_file", "get_dir", "help", "list", "load", "load_state_dict_from_url",
    "set_dir", "urlparse",
]  # fmt: skip
