"""`python -m pullback check`: which of the torch names that a program uses are in pullback, before it runs.

What this module must do:

- find the names by reading the source, without running any of it: imports under any alias, attributes of what
  was imported, literal `getattr`, methods that only tensors have;
- say of each whether pullback has it, has it with other behaviour (`DIFFERENT`), or has it not, and why;
- tell a name that the program expects to be missing (inside ``try`` with a fitting ``except``, or after
  ``hasattr``) from one that would stop it.
"""

from __future__ import annotations

import argparse
import ast
import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

from pullback.command.run import find_module, install
from pullback.torch_names.exclusions import excluded, reason

#: Names that pullback has and that do something else than in torch; what is below such a name too.
DIFFERENT = {
    "torch.compile": "compiles by pullback's own compiler; other backends run eagerly",
    "torch.jit.script": "returns the Python callable",
    "torch.jit.trace": "returns the Python callable",
    "torch.jit.trace_module": "returns the Python callable",
    "torch.jit.freeze": "returns the module",
    "torch.jit.optimize_for_inference": "returns the module",
    "torch.jit.save": "refuses: there is no TorchScript program to save",
    "torch.jit.load": "refuses: TorchScript programs cannot be read",
    "torch.hub.load": "loads folders of this machine only",
    "torch.hub.list": "refuses: nothing is fetched from the network",
    "torch.hub.help": "refuses: nothing is fetched from the network",
    "torch.hub.download_url_to_file": "refuses: nothing is fetched from the network",
    "torch.hub.load_state_dict_from_url": "loads what lies in the cache's folder only",
    "torch.utils.model_zoo.load_url": "refuses: nothing is fetched from the network",
    "torch.Tensor.cuda": "raises as in a torch built without CUDA",
    **dict.fromkeys(
        (
            "torch.utils.cpp_extension.load", "torch.utils.cpp_extension.load_inline",
            "torch.utils.cpp_extension.CppExtension", "torch.utils.cpp_extension.CUDAExtension",
            "torch.utils.cpp_extension.BuildExtension",
        ),
        "refuses: there is no C++ library to build on",
    ),
    **dict.fromkeys(
        (
            "torch.distributed.autograd.backward", "torch.distributed.autograd.context",
            "torch.distributed.rpc.init_rpc",
        ),
        "refuses: calls into other processes are not served",
    ),
    **dict.fromkeys(
        (
            "torch.qint8", "torch.quint8", "torch.qint32", "torch.quint4x2", "torch.quint2x4", "torch.bit",
            "torch.bits8", "torch.bits16", "torch.bits1x8", "torch.bits2x4", "torch.bits4x2",
            "torch.float4_e2m1fn_x2", *(f"torch.{u}int{n}" for u in ("", "u") for n in range(1, 8)),
        ),
        "a name alone: no tensor has this dtype",
    ),
}
#: Packages built against torch's compiled part, which is not there.
COMPILED = frozenset({"apex", "flash_attn", "torchaudio", "torchtext", "triton", "xformers"})
#: What torchvision, which is written in Python otherwise, takes from its own compiled part.
COMPILED_VISION = frozenset({
    *(f"torchvision.ops.{name}" for name in (
        "batched_nms", "deform_conv2d", "DeformConv2d", "MultiScaleRoIAlign", "nms", "ps_roi_align",
        "ps_roi_pool", "PSRoIAlign", "PSRoIPool", "roi_align", "roi_pool", "RoIAlign", "RoIPool",
    )),
    *(f"torchvision.io.{name}" for name in (
        "decode_gif", "decode_image", "decode_jpeg", "decode_png", "decode_webp", "encode_jpeg", "encode_png",
        "read_file", "read_image", "write_file", "write_jpeg", "write_png",
    )),
})  # fmt: skip
#: Methods of tensors that other objects have too, so that a call says nothing.
_COMMON = frozenset({"index", "indices", "solve", "storage_type", "values"})
_SKIPPED = frozenset({
    ".git", ".venv", "__pycache__", "build", "dist", "node_modules", "site-packages", "venv"
})  # fmt: skip
_CAUGHT = frozenset({
    "AttributeError", "BaseException", "Exception", "ImportError", "ModuleNotFoundError"
})  # fmt: skip


class Use(NamedTuple):
    """A place where a name is used."""

    name: str
    file: str
    line: int
    #: Whether the program goes on where the name is missing.
    guarded: bool


class Finding(NamedTuple):
    """Say of a name whether it is ``there``, ``differs``, is ``missing`` or ``guarded``, and why."""

    name: str
    status: str
    why: str
    uses: tuple[Use, ...]


# --- reading ------------------------------------------------------------------------------------------------


def _of_torch(module: str) -> bool:
    root = module.partition(".")[0]
    return root in ("torch", "functorch", "torchvision") or root in COMPILED


class _Reader(ast.NodeVisitor):
    """Collects the uses of one file. A scope maps the names bound in it to torch's, or None for others."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.uses: list[Use] = []
        self.scopes: list[dict[str, str | None]] = [{}]
        self.guards = 0
        self.asked: set[str] = set()

    def _use(self, name: str, node: ast.AST) -> None:
        guarded = self.guards > 0 or name in self.asked
        self.uses.append(Use(name, self.file, getattr(node, "lineno", 0), guarded))

    def _bind(self, name: str, meaning: str | None) -> None:
        self.scopes[-1][name] = meaning

    def _meaning(self, node: ast.AST) -> str | None:
        """Return the torch name that an expression spells, or None."""
        if isinstance(node, ast.Name):
            return next((s[node.id] for s in reversed(self.scopes) if node.id in s), None)
        if isinstance(node, ast.Attribute):
            above = self._meaning(node.value)
            return None if above is None else f"{above}.{node.attr}"
        return None

    def visit_Import(self, node: ast.Import) -> None:
        for alias in node.names:
            if _of_torch(alias.name):
                self._use(alias.name, node)
                root = alias.name.split(".")[0]
                self._bind(alias.asname or root, alias.name if alias.asname else root)

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        module = node.module or ""
        if node.level or not _of_torch(module):
            for alias in node.names:
                self._bind(alias.asname or alias.name, None)
            return
        for alias in node.names:
            if alias.name == "*":
                self._use(module, node)
                for name in _public(module):
                    self._bind(name, f"{module}.{name}")
            else:
                self._use(f"{module}.{alias.name}", node)
                self._bind(alias.asname or alias.name, f"{module}.{alias.name}")

    def visit_Attribute(self, node: ast.Attribute) -> None:
        meaning = self._meaning(node)
        if meaning is not None:
            self._use(meaning, node)
            return
        self.visit(node.value)
        if node.attr in _missing_methods() or node.attr == "cuda":
            self._use(f"torch.Tensor.{node.attr}", node)

    def visit_Name(self, node: ast.Name) -> None:
        if isinstance(node.ctx, ast.Store):
            self._bind(node.id, None)
            return
        meaning = self._meaning(node)
        if meaning is not None and "." in meaning:
            self._use(meaning, node)

    def visit_Assign(self, node: ast.Assign) -> None:
        self.visit(node.value)
        meaning = self._meaning(node.value)
        for target in node.targets:
            if isinstance(target, ast.Name):
                self._bind(target.id, meaning)
            else:
                self.visit(target)

    def visit_Call(self, node: ast.Call) -> None:
        function = node.func
        literal = node.args[1] if len(node.args) > 1 else None
        if (
            isinstance(function, ast.Name) and function.id in ("getattr", "hasattr")
            and isinstance(literal, ast.Constant) and isinstance(literal.value, str)
            and (above := self._meaning(node.args[0])) is not None
        ):
            name = f"{above}.{literal.value}"
            if function.id == "hasattr":
                self.asked.add(name)
            optional = function.id == "hasattr" or len(node.args) > 2
            self.guards += optional
            self._use(name, node)
            self.guards -= optional
        self.generic_visit(node)

    def visit_Try(self, node: ast.Try) -> None:
        caught = {
            part.id for handler in node.handlers for part in ast.walk(handler.type or ast.Name("Exception"))
            if isinstance(part, ast.Name)
        }  # fmt: skip
        guards = bool(caught & _CAUGHT)
        self.guards += guards
        for statement in node.body:
            self.visit(statement)
        self.guards -= guards
        for part in (*node.handlers, *node.orelse, *node.finalbody):
            self.visit(part)

    def _function(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> None:
        arguments = node.args
        for outer in (*arguments.defaults, *(d for d in arguments.kw_defaults if d is not None)):
            self.visit(outer)
        every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
        every += [a for a in (arguments.vararg, arguments.kwarg) if a is not None]
        for argument in every:
            if argument.annotation is not None:
                self.visit(argument.annotation)
        if not isinstance(node, ast.Lambda):
            for outer in (*node.decorator_list, *([node.returns] if node.returns else [])):
                self.visit(outer)
            self._bind(node.name, None)
        self.scopes.append(dict.fromkeys((a.arg for a in every), None))
        for statement in [node.body] if isinstance(node, ast.Lambda) else node.body:
            self.visit(statement)
        self.scopes.pop()

    visit_FunctionDef = _function
    visit_AsyncFunctionDef = _function
    visit_Lambda = _function

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self._bind(node.name, None)
        self.scopes.append({})
        self.generic_visit(node)
        self.scopes.pop()


@cache
def _missing_methods() -> frozenset[str]:
    return frozenset(excluded("torch.Tensor")) - _COMMON


def _public(module: str) -> list[str]:
    found = _found(module)
    return list(getattr(found, "__all__", ())) if found is not None else []


def read(source: str, file: str) -> list[Use]:
    """Return the uses of torch's names in a source.

    Parameters
    ----------
    source : str
    file : str
        The name of the file, for the uses and for the error.

    Raises
    ------
    SyntaxError
    """
    reader = _Reader(file)
    reader.visit(ast.parse(source, file))
    return reader.uses


# --- judging -----------------------------------------------------------------------------------------------


@cache
def _found(name: str) -> Any:
    """Return what pullback has under a torch name; None where it has nothing."""
    path, *parts = name.split(".")
    here: Any = find_module(path)
    for part in parts:
        path += f".{part}"
        held = getattr(here, part, None)
        if held is None and isinstance(here, ModuleType):
            try:
                held = find_module(path)
            except ModuleNotFoundError:
                held = getattr(here, part, _NOTHING)
                if held is _NOTHING:
                    return None
        if held is None:
            return _NONE if hasattr(here, part) else None
        if not isinstance(held, ModuleType | type):
            return held  # what a value of the program's has, its class knows
        here = held
    return here


_NOTHING = object()
#: Stands for a name whose value is None.
_NONE = object()


def _judge(name: str) -> tuple[str, str]:
    root = name.partition(".")[0]
    if root in COMPILED:
        return "missing", f"{root} is built against torch's compiled part"
    if root == "torchvision":
        if name in COMPILED_VISION:
            return "missing", "part of torchvision's compiled code"
        return "there", ""
    parts = name.split(".")
    for end in range(len(parts), 1, -1):
        if (above := ".".join(parts[:end])) in DIFFERENT:
            return "differs", DIFFERENT[above]
    if _found(name) is not None:
        return "there", ""
    for end in range(2, len(parts) + 1):
        shown = ".".join(parts[:end])
        if _found(shown) is None:
            return "missing", reason(".".join(parts[: end - 1]), parts[end - 1]) or ""
    return "missing", ""


def judge(uses: Iterable[Use]) -> list[Finding]:
    """Return a finding for each name, in their order."""
    by_name: dict[str, list[Use]] = {}
    for use in uses:
        by_name.setdefault(use.name, []).append(use)
    findings = []
    for name in sorted(by_name):
        status, why = _judge(name)
        if status == "missing" and all(use.guarded for use in by_name[name]):
            status = "guarded"
        findings.append(Finding(name, status, why, tuple(by_name[name])))
    return findings


# --- the command -------------------------------------------------------------------------------------------


def sources(path: Path) -> Iterator[Path]:
    """Yield the Python files of a folder, or the file itself."""
    if path.is_file():
        yield path
        return
    for found in sorted(path.rglob("*.py")):
        if not _SKIPPED.intersection(found.relative_to(path).parts):
            yield found


def _places(uses: Sequence[Use], several: bool) -> str:
    by_file: dict[str, list[str]] = {}
    for use in uses:
        lines = by_file.setdefault(use.file, [])
        if str(use.line) not in lines:
            lines.append(str(use.line))
    return "; ".join(
        f"{file}:{','.join(lines)}" if several else f"line {', '.join(lines)}"
        for file, lines in by_file.items()
    )


_TITLES = {
    "missing": "missing",
    "guarded": "missing, and the program is prepared for that",
    "differs": "there, with other behaviour",
    "there": "there",
}


def _report(findings: Sequence[Finding], errors: Sequence[dict[str, Any]], files: int) -> str:
    lines = [f"{error['file']}:{error['line']}: not read: {error['message']}" for error in errors]
    several = files > 1
    for status, title in _TITLES.items():
        found = [f for f in findings if f.status == status]
        if not found:
            continue
        lines += [*([""] if lines else []), f"{title} ({len(found)}):"]
        for finding in found:
            why = f"  [{finding.why}]" if finding.why else ""
            lines.append(f"  {finding.name}{why}  {_places(finding.uses, several)}")
    uses = sum(len(f.uses) for f in findings)
    counts = {status: sum(f.status == status for f in findings) for status in _TITLES}
    lines += [
        "",
        (
            f"{files} {'file' if files == 1 else 'files'}, {uses} uses of {len(findings)} names of torch: "
            f"{counts['there']} there, {counts['differs']} with other behaviour, "
            f"{counts['missing'] + counts['guarded']} missing"
        ),
    ]
    return "\n".join(lines)


def main(arguments: Sequence[str]) -> int:
    """Check what the arguments name, print what was found and return the exit status.

    Returns
    -------
    int
        0 where nothing is missing, 1 where something is or a file cannot be read, 2 for wrong arguments.
    """
    parser = argparse.ArgumentParser(
        prog="python -m pullback check",
        description="Say which of the torch names that a program uses are in pullback, without running it.",
    )
    parser.add_argument("path", nargs="+", type=Path, help="a Python file, or a folder of them")
    parser.add_argument("--json", action="store_true", help="print the findings as JSON")
    options = parser.parse_args(arguments)
    absent = [path for path in options.path if not path.exists()]
    if absent:
        print(f"python -m pullback check: no such file or folder: {absent[0]}", file=sys.stderr)
        return 2
    install()
    files = list(dict.fromkeys(file for path in options.path for file in sources(path)))
    uses: list[Use] = []
    errors: list[dict[str, Any]] = []
    for file in files:
        try:
            uses += read(file.read_text(encoding="utf-8"), str(file))
        except SyntaxError as error:
            errors.append({"file": str(file), "line": error.lineno or 0, "message": error.msg})
        except UnicodeDecodeError as error:
            errors.append({"file": str(file), "line": 0, "message": str(error)})
    findings = judge(uses)
    if options.json:
        names = [
            {
                "name": f.name, "status": f.status, "why": f.why,
                "uses": [{"file": u.file, "line": u.line, "guarded": u.guarded} for u in f.uses],
            }
            for f in findings
        ]
        print(json.dumps({"files": [str(f) for f in files], "errors": errors, "names": names}, indent=1))
    else:
        print(_report(findings, errors, len(files)))
    return 1 if errors or any(f.status == "missing" for f in findings) else 0
