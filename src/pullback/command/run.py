"""Run an unmodified PyTorch program with `torch` meaning pullback.

Requirements:

- `torch` is the very module `pullback`, and `torch.x.y` the very module `pullback.x.y`, however it is
  imported, also in worker processes; so is `functorch`, which torch installs beside itself. What pullback
  lacks is an error that says so, never a torch that happens to be installed.
- The program sees what it would see under `python script.py`: `__main__`, `__file__`, `sys.argv`,
  `sys.path[0]`.
- It ends as it would: its exit status, its tracebacks without frames of this file, an interrupt as an
  interrupt.
"""

from __future__ import annotations

import builtins
import importlib
import importlib.machinery
import importlib.metadata
import importlib.util
import io
import linecache
import os
import pkgutil
import sys
import zipfile
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from types import CodeType, ModuleType, TracebackType
from typing import Any, NamedTuple, NoReturn

import pullback
from pullback import torch_names
from pullback.torch_names.version import VERSION
from pullback.torch_names.version import __version__ as torch_version

USAGE = """\
usage: python -m pullback SCRIPT [ARG ...]
       python -m pullback -m MODULE [ARG ...]
       python -m pullback -c CODE [ARG ...]
       python -m pullback check [--json] PATH ...
       python -m pullback stubs [FOLDER]
       python -m pullback explain [--html FILE] SCRIPT [ARG ...]
       python -m pullback install-torch | uninstall-torch
       python -m pullback jupyter install | uninstall
       python -m pullback completion bash | zsh | fish

Runs a PyTorch program unmodified, with `import torch` giving pullback.

SCRIPT is a Python file, a notebook, a folder or zip file with a __main__.py in it, or - for standard
input. `pullback` is the same as `python -m pullback`. The arguments after it are the program's own.

  -m MODULE      run a module as `python -m MODULE` would
  -c CODE        run the code given
  check PATH     say which torch names a script, or a folder of them, uses and
                 whether pullback has them, without running it
  stubs FOLDER   write types for `import torch`, which editors, mypy and
                 pyright read, into a folder (`typings` if none is named)
  explain SCRIPT run it and explain every call of backward in it
                 (`python -m pullback explain --help` says more)
  install-torch  let `import torch` give pullback in this environment, for
                 libraries that need a distribution of that name;
                 uninstall-torch takes it away
  jupyter install
                 install a Jupyter kernel in which torch is pullback
  completion SHELL
                 print a script by which bash, zsh or fish completes `pullback`
  -h, --help     print this text
  -V, --version  print pullback's version"""

#: The commands, each with the module beside this one whose `main` does it.
COMMANDS = {
    "check": "check", "completion": "completion", "explain": "", "install-torch": "install_torch",
    "jupyter": "notebooks", "stubs": "stubs", "uninstall-torch": "install_torch",
}  # fmt: skip
OWN_FILES = [__file__, str(Path(__file__).parents[1] / "__main__.py")]
#: Which Python processes that the program starts by itself see pullback as torch, too: "1" is all, "0" none,
#: a folder those of the environment that is there.
INHERITED = "PULLBACK_AS_TORCH"
SHIM_FOLDER = str(Path(__file__).parent / "as_torch")


# ------------------------------------------------------------------------------------------ torch is pullback
def is_torch_name(name: str) -> bool:
    """Return whether a module name is torch or functorch, or below it."""
    return name.partition(".")[0] in ("torch", "functorch")


def pullback_name(name: str) -> str:
    """Return `pullback.x` for `torch.x`, `pullback.functorch.x` for `functorch.x`; other names stay."""
    if not is_torch_name(name):
        return name
    return "pullback" + name[len("torch") :] if name.startswith("torch") else "pullback." + name


def find_module(name: str) -> ModuleType:
    """Import and return the module of pullback that `torch.x.y` stands for.

    It is a submodule, or a module of pullback that its parent holds as an attribute of that name. An
    attribute that is no module wins over a file of the same name, because importing the file would overwrite
    it (`torch.tensor`).
    """
    if name == "torch":
        return pullback
    parent, _, child = name.rpartition(".")
    if (target := pullback_name(name)) in sys.modules:
        return sys.modules[target]
    held = getattr(importlib.import_module(parent), child, None) if parent else None
    if isinstance(held, ModuleType) and held.__name__.startswith("pullback."):
        return held
    if held is None or held is annotations:  # which `from __future__` leaves in modules of pullback
        try:
            return importlib.import_module(target)
        except ModuleNotFoundError as error:
            if not is_same_or_parent(error.name, target):
                raise
    missing = ModuleNotFoundError(f"No module named {name!r}: pullback has no module {target!r}", name=name)
    from pullback.torch_names.exclusions import module_reason  # a long list, which errors alone need

    if (why := module_reason(name)) is not None:
        beside = "distributed" if name.startswith("torch.distributed.") else "exclusions"
        missing.add_note(
            f"{name} is not part of pullback ({why}). The page docs/{beside}.md says what there is instead."
        )
    raise missing


def is_same_or_parent(missing: str | None, name: str) -> bool:
    """Return whether `missing`, which an import of `name` did not find, is `name` itself."""
    return missing is not None and (name + ".").startswith(missing + ".")


def alias_loaded() -> None:
    """Let every module of pullback that is loaded be found under its name in torch."""
    for name, module in list(sys.modules.items()):
        package, _, rest = torch_names.public_name(name).partition(".")
        if package == "pullback":
            is_beside = rest.partition(".")[0] == "functorch"
            sys.modules.setdefault(rest if is_beside else f"torch.{rest}".rstrip("."), module)


class ModuleLoader(torch_names.LoadedModule):
    """Hand the import system a module that is loaded already, and what it loaded on its way."""

    def exec_module(self, module: ModuleType) -> None:
        """Give the module its own spec back, and new modules their names in torch."""
        super().exec_module(module)
        alias_loaded()


class TorchDistribution(importlib.metadata.Distribution):
    """Describe torch to `importlib.metadata`: libraries ask for the version before they import torch."""

    def read_text(self, filename: str) -> str | None:
        """Return the text of one of the files in a distribution's folder; None for those there are not."""
        texts = {
            "METADATA": f"Metadata-Version: 2.1\nName: torch\nVersion: {torch_version}\n",
            "top_level.txt": "torch\n",
        }
        return texts.get(filename)

    def locate_file(self, path: str | os.PathLike[str]) -> Path:
        """Return the place of a file of pullback's."""
        return Path(__file__).parents[1] / path


class TorchFinder:
    """The first finder on `sys.meta_path`; it answers for all of torch and functorch, before any other."""

    @classmethod
    def find_distributions(
        cls, context: importlib.metadata.DistributionFinder.Context
    ) -> Iterable[importlib.metadata.Distribution]:
        """Return torch's distribution where it, or every one there is, is asked for."""
        return [TorchDistribution()] if context.name in (None, "torch") else []

    @classmethod
    def find_spec(
        cls, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """Return a spec of the module of pullback for a name of torch's, or None for names of others."""
        if not is_torch_name(name):
            return None
        return torch_names.spec_of(name, ModuleLoader(torch_names.unlocked(find_module, name)))


def install() -> None:
    """Make `import torch` mean pullback in this process and in the worker processes that it spawns.

    Other Python processes that it starts do so, too, where the variable PULLBACK_AS_TORCH says so.
    """
    for name in [name for name in sys.modules if is_torch_name(name)]:
        del sys.modules[name]
    alias_loaded()
    pullback.__name__ = "torch"  # programs look modules up by it
    if TorchFinder not in sys.meta_path:
        sys.meta_path.insert(0, TorchFinder)
    if SHIM_FOLDER not in sys.path:
        sys.path.insert(0 if sys.flags.safe_path else 1, SHIM_FOLDER)
    if os.environ.get(INHERITED) in ("1", sys.prefix):
        folders = os.environ.get("PYTHONPATH", "").split(os.pathsep)
        if SHIM_FOLDER not in folders:
            os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [SHIM_FOLDER, *folders]))


# ------------------------------------------------------------------------------------------ what is to be run
class Program(NamedTuple):
    """A program ready to run: its code, and what its `__main__` and `sys.argv[0]` are to be."""

    code: CodeType
    name: str
    variables: dict[str, Any]


class UsageError(Exception):
    """Report a command line that cannot be run; hold the exit status that `python` gives then."""

    def __init__(self, message: str, status: int) -> None:
        super().__init__(message)
        self.status = status


def compile_source(source: bytes | str, filename: str) -> CodeType:
    """Compile without this file's own `from __future__` imports."""
    return compile(source, filename, "exec", dont_inherit=True)


def set_first_path(entry: str) -> None:
    """Put `entry` where `python -m` put the current folder, unless Python was told to put nothing there."""
    if not sys.flags.safe_path:
        sys.path[0] = entry


def from_spec(spec: importlib.machinery.ModuleSpec, name: str | None = None) -> Program:
    """Prepare the module that an import spec describes."""
    loader: Any = spec.loader
    code = loader.get_code(spec.name) if hasattr(loader, "get_code") else None
    if code is None:
        raise UsageError(f"No code object available for {spec.name}", 1)
    variables = {
        "__spec__": spec,
        "__loader__": loader,
        "__package__": spec.parent,
        "__file__": spec.origin,
        "__cached__": spec.cached,
    }
    return Program(code, name if name is not None else spec.origin or spec.name, variables)


def from_container(path: str) -> Program:
    """Prepare the `__main__.py` of a folder or zip file."""
    folder = os.path.abspath(path)
    importer: Any = pkgutil.get_importer(folder)
    spec = importer.find_spec("__main__") if importer is not None else None
    if spec is None:
        raise UsageError(f"can't find '__main__' module in {path!r}", 1)
    if sys.flags.safe_path:
        sys.path.insert(0, "")
    sys.path[0] = folder
    return from_spec(spec, path)


def from_file(path: str) -> Program:
    """Prepare a script."""
    if os.path.isdir(path) or zipfile.is_zipfile(path):
        return from_container(path)
    filename = os.path.abspath(path)
    try:
        with io.open_code(filename) as file:
            source = file.read()
    except OSError as error:
        message = f"can't open file {filename!r}: [Errno {error.errno}] {error.strerror}"
        import difflib

        near = difflib.get_close_matches(path, COMMANDS, 1)
        raise UsageError(message + (f". Did you mean: {near[0]!r}?" if near else ""), 2) from None
    set_first_path(os.path.dirname(os.path.realpath(path)))
    if path.endswith(".ipynb"):
        return from_notebook(path, filename)
    loader = importlib.machinery.SourceFileLoader("__main__", filename)
    variables = {"__file__": filename, "__cached__": None, "__loader__": loader}
    return Program(compile_source(source, filename), path, variables)


def show_lines_of(filename: str, source: str) -> None:
    """Let tracebacks show the lines of a source that is in no file."""
    linecache.cache[filename] = (len(source), None, source.splitlines(keepends=True), filename)


def from_notebook(path: str, filename: str) -> Program:
    """Prepare a notebook: its cells, one after the other."""
    from pullback.command.notebooks import UnreadableNotebook, whole

    try:
        source = whole(path)
    except UnreadableNotebook as error:
        raise UsageError(str(error), 1) from None
    # The lines of the program are not those of the file, which is JSON.
    shown = f"{filename} (cells)"
    show_lines_of(shown, source)
    variables = {"__file__": filename, "display": print}
    return Program(compile_source(source, shown), path, variables)


def from_module(name: str) -> Program:
    """Prepare a module that is found by name, or the `__main__` of a package."""
    name = pullback_name(name)
    try:
        spec = importlib.util.find_spec(name)
    except ModuleNotFoundError as error:
        if not is_same_or_parent(error.name, name):
            raise
        spec = None
    if spec is None:
        raise UsageError(f"No module named {name}", 1)
    if spec.submodule_search_locations is None:
        return from_spec(spec)
    if name.endswith(".__main__") or importlib.util.find_spec(name + ".__main__") is None:
        message = f"No module named {name}.__main__; {name!r} is a package and cannot be directly executed"
        raise UsageError(message, 1)
    return from_module(name + ".__main__")


def from_code(source: str) -> Program:
    """Prepare code given on the command line."""
    set_first_path("")
    if sys.version_info >= (3, 13):  # from which on Python shows them
        show_lines_of("<string>", source)
    return Program(compile_source(source, "<string>"), "-c", {})


def from_stdin() -> Program:
    """Prepare code that comes through standard input."""
    set_first_path("")
    return Program(compile_source(sys.stdin.buffer.read(), "<stdin>"), "-", {})


# ------------------------------------------------------------------------------------------------- running it
def program_frames(traceback: TracebackType | None) -> TracebackType | None:
    """Return a traceback from the program's first frame on, None if the program never began."""
    while traceback is not None:
        filename = traceback.tb_frame.f_code.co_filename
        if filename not in OWN_FILES and not filename.startswith("<frozen "):
            break
        traceback = traceback.tb_next
    return traceback


def hide_runner_frames() -> None:
    """Have the exception now on its way to the interpreter reported from the program's first frame on.

    The interpreter does the rest as ever: it calls the hook that the program may have set, turns SystemExit
    into the exit status and an interrupt into death by SIGINT.
    """
    report: Callable[..., Any] = sys.excepthook

    def report_without_runner(
        kind: type[BaseException], error: BaseException, traceback: TracebackType | None
    ) -> None:
        shown = program_frames(traceback)
        if shown is None and not isinstance(error, SyntaxError):
            shown = traceback
        error.__traceback__ = shown
        add_answer(error)
        report(kind, error, shown)

    sys.excepthook = report_without_runner


def add_answer(error: BaseException) -> None:
    """Add to an error that ends the program what it means in it, where that is known and not said yet."""
    kinds = (RuntimeError, AttributeError, TypeError, ValueError, IndexError)
    computes = "pullback.tensor.tensor" in sys.modules
    if computes and isinstance(error, kinds) and not hasattr(error, "answer"):
        from pullback.explain.raised import note_of

        if (note := note_of(error)) is not None:
            error.add_note(note)


def run(program: Program) -> None:
    """Execute a program as `__main__`."""
    module = ModuleType("__main__")
    first: dict[str, Any] = {"__annotations__": {}} if sys.version_info < (3, 14) else {}
    module.__dict__.update({"__builtins__": builtins, **first, **program.variables})
    sys.modules["__main__"] = module
    sys.argv[0] = program.name
    exec(program.code, module.__dict__)


def fail(message: str, status: int) -> NoReturn:
    """End with a message in the form in which `python` gives it."""
    print(f"{sys.executable} -m pullback: {message}", file=sys.stderr)
    raise SystemExit(status)


def main(arguments: Sequence[str]) -> None:
    """Run the program that the arguments of `python -m pullback` name."""
    first = arguments[0] if arguments else ""
    if first in ("-h", "--help"):
        print(USAGE)
        return
    if first in ("-V", "--version"):
        print(f"pullback {VERSION}")
        return
    if first == "explain":
        explain_program(arguments[1:])
    elif first in COMMANDS:
        command = importlib.import_module(f"pullback.command.{COMMANDS[first]}").main
        named = (first,) if first.endswith("install-torch") else ()
        raise SystemExit(command(*named, arguments[1:]))
    else:
        run_program(arguments)


def console() -> None:
    """Run the script `pullback`, which is the same as `python -m pullback`."""
    OWN_FILES.append(sys.argv[0])
    main(sys.argv[1:])


def explain_program(arguments: Sequence[str]) -> None:
    """Run the program that the arguments of `python -m pullback explain` name, its calls recorded."""
    from pullback.explain import command

    if not arguments:
        fail(f"no program given\n{command.USAGE}", 2)
    if arguments[0] in ("-h", "--help"):
        print(command.USAGE)
        return
    try:
        options, program = command.read_options(arguments)
    except command.WrongOption as error:
        fail(f"{error}\n{command.USAGE}", 2)
    with command.explained(options):
        run_program(program)


def run_program(arguments: Sequence[str]) -> None:
    """Run a program as its file, `-m MODULE`, `-c CODE` or `-` names it."""
    first = arguments[0] if arguments else ""
    readers: dict[str, Callable[[str], Program]] = {"-m": from_module, "-c": from_code}
    if not first:
        fail("no program given\n" + USAGE, 2)
    if first in readers and len(arguments) < 2:
        fail(f"argument expected for the {first} option\n" + USAGE, 2)
    if first.startswith("-") and first != "-" and first not in readers:
        fail(f"unknown option {first}\n" + USAGE, 2)

    # As both would find one torch under `python script.py`.
    os.environ.setdefault(INHERITED, sys.prefix)
    install()
    sys.argv = [first, *arguments[2:]] if first in readers else list(arguments)
    try:
        if first in readers:
            program = readers[first](arguments[1])
        elif first == "-":
            program = from_stdin()
        else:
            program = from_file(first)
        run(program)
    except UsageError as error:
        fail(str(error), error.status)
    except BaseException:
        hide_runner_frames()
        raise
