"""Say before a program runs which torch names that it uses are in pullback: `python -m pullback check`.

What this module must do:

- find the names by reading the source, without running any of it: imports under any alias, attributes of what
  was imported, literal `getattr`, methods that only tensors have;
- say of each whether pullback has it, has it with other behaviour (`DIFFERENT`), or has it not, and why;
- tell a name that the program expects to be missing (inside ``try`` with a fitting ``except``, or after
  ``hasattr``) from one that would stop it;
- name the packages that the program imports and that need a distribution named torch.
"""

import argparse
import importlib.metadata
import json
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from pullback.command.notebooks import UnreadableNotebook, cells, is_notebook
from pullback.command.run import install
from pullback.command.uses import COMPILED, Use, held_under, read, read_parts
from pullback.torch_names.exclusions import reason

#: Names that pullback has and that do something else than in torch; what is below such a name too.
DIFFERENT = {
    "torch.compile": "compiles by pullback's own compiler; other backends run eagerly",
    "torch.jit.script": "returns the Python callable",
    "torch.jit.trace": "gives a program of pullback's own, which only pullback loads",
    "torch.jit.trace_module": "gives a program of pullback's own, which only pullback loads",
    "torch.jit.freeze": "returns the module",
    "torch.jit.optimize_for_inference": "returns the module",
    "torch.jit.save": "saves what is traced; there is no TorchScript program to save",
    "torch.jit.load": "loads what pullback has saved; TorchScript programs cannot be read",
    "torch.export.save": "writes a format of pullback's own",
    "torch.export.load": "loads what pullback has saved",
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
_SKIPPED = frozenset({
    ".git", ".venv", "__pycache__", "build", "dist", "node_modules", "site-packages", "venv"
})  # fmt: skip


class Finding(NamedTuple):
    """Say of a name whether it is ``there``, ``differs``, is ``missing`` or ``guarded``, and why."""

    name: str
    status: str
    why: str
    uses: tuple[Use, ...]


# --- packages -----------------------------------------------------------------------------------------------


class Package(NamedTuple):
    """A package that the program imports and that needs torch."""

    name: str
    distribution: str
    use: Use


def needing_torch(imported: Iterable[Use]) -> list[Package]:
    """Return the packages of this environment that declare torch as a dependency."""
    if not (imported := list(imported)):
        return []
    known = importlib.metadata.packages_distributions()
    found = []
    for use in imported:
        for distribution in dict.fromkeys(known.get(use.name, ())):
            needs = importlib.metadata.requires(distribution) or ()
            required = [text for text in needs if "extra ==" not in text]
            if any(re.match(r"torch(?![\w.-])", text) for text in required):
                found.append(Package(use.name, distribution, use))
    return found


# --- judging -----------------------------------------------------------------------------------------------


def _judge(name: str) -> tuple[str, str]:
    if (root := name.partition(".")[0]) in COMPILED:
        return "missing", f"{root} is built against torch's compiled part"
    if root == "torchvision":
        if name in COMPILED_VISION:
            return "missing", "part of torchvision's compiled code"
        return "there", ""
    parts = name.split(".")
    for end in range(len(parts), 1, -1):
        if (above := ".".join(parts[:end])) in DIFFERENT:
            return "differs", DIFFERENT[above]
    try:
        if held_under(name) is not None:
            return "there", ""
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        return "missing", f"needs the package {package}: pip install {package}"
    for end in range(2, len(parts) + 1):
        if held_under(".".join(parts[:end])) is None:
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
    for found in sorted([*path.rglob("*.py"), *path.rglob("*.ipynb")]):
        if not _SKIPPED.intersection(found.relative_to(path).parts):
            yield found


def _parts(file: Path) -> Iterator[tuple[str, str]]:
    """Yield a file's name and source, or those of a notebook's cells."""
    if not is_notebook(file):
        yield str(file), file.read_text(encoding="utf-8")
        return
    for number, text in cells(file):
        yield f"{file} cell {number}", text


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


def _report(
    findings: Sequence[Finding], errors: Sequence[dict[str, Any]], files: int, packages: Sequence[Package],
    everything: bool,
) -> str:  # fmt: skip
    lines = [f"{error['file']}:{error['line']}: not read: {error['message']}" for error in errors]
    several = files > 1 or any(".ipynb cell " in use.file for f in findings for use in f.uses)
    for status, title in _TITLES.items():
        found = [f for f in findings if f.status == status]
        if not found or (status == "there" and not everything):
            continue
        lines += [*([""] if lines else []), f"{title} ({len(found)}):"]
        for finding in found:
            why = f"  [{finding.why}]" if finding.why else ""
            lines.append(f"  {finding.name}{why}  {_places(finding.uses, several)}")
    if packages:
        title = f"packages that need a distribution named torch ({len(packages)}):"
        lines += [*([""] if lines else []), title]
        lines += [f"  {p.distribution}  {_places([p.use], several)}" for p in packages]
        lines.append("  [python -m pullback install-torch gives them one]")
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
    parser.add_argument("path", nargs="+", type=Path, help="a Python file or notebook, or a folder of them")
    parser.add_argument("--all", action="store_true", help="list the names that are there, too")
    parser.add_argument("--json", action="store_true", help="print the findings as JSON")
    options = parser.parse_args(arguments)
    absent = [path for path in options.path if not path.exists()]
    if absent:
        print(f"python -m pullback check: no such file or folder: {absent[0]}", file=sys.stderr)
        return 2
    install()
    files = list(dict.fromkeys(file for path in options.path for file in sources(path)))
    uses: list[Use] = []
    imported: dict[str, Use] = {}
    errors: list[dict[str, Any]] = []
    for file in files:
        try:
            reader = read_parts(_parts(file))
        except SyntaxError as error:
            where = error.filename or str(file)
            errors.append({"file": where, "line": error.lineno or 0, "message": error.msg})
        except (UnicodeDecodeError, UnreadableNotebook) as error:
            errors.append({"file": str(file), "line": 0, "message": str(error)})
        else:
            uses += reader.uses
            imported = {**reader.packages, **imported}
    own = {file.stem for file in files} | {file.parent.name for file in files}
    packages = needing_torch(use for name, use in imported.items() if name not in own)
    findings = judge(uses)
    if options.json:
        names = [
            {
                "name": f.name, "status": f.status, "why": f.why,
                "uses": [{"file": u.file, "line": u.line, "guarded": u.guarded} for u in f.uses],
            }
            for f in findings
        ]
        needing = [
            {"name": p.name, "distribution": p.distribution, "file": p.use.file, "line": p.use.line}
            for p in packages
        ]
        about = {"files": [str(f) for f in files], "errors": errors, "names": names, "packages": needing}
        print(json.dumps(about, indent=1))
    else:
        print(_report(findings, errors, len(files), packages, options.all))
    return 1 if errors or any(f.status == "missing" for f in findings) else 0


__all__ = ["DIFFERENT", "Finding", "Package", "judge", "main", "needing_torch", "read"]
