"""Write the stubs that tell editors and type checkers what the declarations make at import.

Run after a public function was declared or changed, from the project's root: ``python -m tools.make_stubs``.
Five kinds of files are made, each beside the module that it describes:

- `pullback/__init__.pyi`: torch's top level;
- `pullback/tensor/methods.pyi`: the methods, properties and operators that are attached to `Tensor`, in-place
  twins included; `tensor.py` derives the class from them where types are checked;
- `pullback/torch_names/<namespace>.pyi` for `linalg` and its like;
- `pullback/nn/functional/__init__.pyi`;
- `pullback/return_types.pyi`, the results with names.

A signature comes from what torch's parser reads where the declaration has that, else from the function. There
`Any` stands for what torch calls a tensor: as a result it is one unless `RESULTS` says otherwise, as a
parameter it is what `PARAMETERS` says of its name, and stays `Any` where that says nothing. Where the result
depends on the arguments, `CASES` and `FLAGS` tell how. What is written with type variables is imported.
"""

from __future__ import annotations

import ast
import builtins
import importlib
import inspect
import re
import sys
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from importlib.util import find_spec
from itertools import product
from keyword import iskeyword
from pathlib import Path
from types import ModuleType
from typing import Any, ParamSpec, TypeVar, get_args, get_overloads

from tools.stub_tables import (
    ALIASES,
    CASES,
    FLAGS,
    FUNCTION_CASES,
    KINDS,
    NUMBER_FIRST,
    PARAMETERS,
    PARTS,
    RESULTS,
    TENSORS,
)
from tools.stub_text import default, definition, documentation, literal, paragraph

import pullback
from pullback import torch_names
from pullback.tensor.api import REGISTRY
from pullback.tensor.builtin import behind
from pullback.tensor.shown_signatures import own_signature, signature_of
from pullback.tensor.signature import Parameter, Signature
from pullback.tensor.tensor import Tensor
from pullback.torch_names.exclusions import Missing

ROOT = Path(__file__).parents[1]
PACKAGE = Path(pullback.__file__).parent

#: Names that annotations use → where they come from.
SOURCES = {
    "Any": "typing",
    **dict.fromkeys(("Literal", "TypeAlias", "overload"), "typing"),
    **dict.fromkeys(("Callable", "Iterable", "Iterator", "Mapping", "Sequence"), "collections.abc"),
    "ndarray": "numpy",
    "Tensor": "pullback.tensor.tensor",
    "dtype": "pullback.array.dtypes",
    "device": "pullback.core.device",
    "Size": "pullback.core.size",
    **dict.fromkeys(("layout", "memory_format"), "pullback.tensor.constants"),
    "Generator": "pullback.tensor.random",
    "UntypedStorage": "pullback.tensor.untyped_storage", "TypedStorage": "pullback.tensor.typed_storage",
}

HEADER = (
    '"""{}\n\nWritten by tools/make_stubs.py: run ``python -m tools.make_stubs``, and change nothing here by '
    'hand.\n"""\n'
)

Function = Callable[..., Any]


def text_of(annotation: Any) -> str:
    """An annotation as a module writes it that has imported its names."""
    if isinstance(annotation, str):
        return annotation
    plain = isinstance(annotation, type) and not get_args(annotation)
    return re.sub(r"\b(\w+\.)+(?=\w)", "", annotation.__name__ if plain else repr(annotation))


def takes_out(function: Callable[..., Any]) -> bool:
    """Whether a function has `out`, of its own or by its declaration; an alias has it as the first name."""

    def has_out(f: Callable[..., Any]) -> bool:
        return getattr(f, "takes_out", False) or "out" in signature_of(f).parameters

    return has_out(inspect.unwrap(function, stop=has_out))


class Stub:
    """The text of one stub, and what it must import.

    Parameters
    ----------
    module : str
        Full name of the module that the stub describes.
    own : iterable of str
        The names that the scope of its functions defines: an annotation that means another thing of such a
        name is written as `builtins.x`, or imported as `_x`.
    """

    def __init__(self, module: str, own: Iterable[str]) -> None:
        self.module = module
        self.package = module if find_spec(module).submodule_search_locations else module.rpartition(".")[0]
        self.own = frozenset(own)
        self.imports: set[str] = set()
        self.aliases: set[str] = set()
        self.lines: list[str] = []

    # --- annotations ----------------------------------------------------------------------------------------

    def annotation(self, text: str) -> str:
        """An annotation in the words of this stub: every name imported, and none that means
        something else here.
        """
        return re.sub(r"(?<![\w.\"'])[A-Za-z_][\w.]*", lambda m: self.name(m[0]), text)

    def name(self, name: str) -> str:
        """A name as an annotation of this stub may write it."""
        module, _, name = name.rpartition(".")
        if name == "None":
            return name
        if module == "return_types":
            self.import_from("pullback.torch_names", module, module)
            return f"{module}.{name}"
        if name in ALIASES:
            self.aliases.add(name)
            return f"_{name}"
        if hasattr(builtins, name):
            if name not in self.own:
                return name
            self.imports.add("import builtins")
            return f"builtins.{name}"
        if name not in SOURCES:
            return self.name("Any")
        alias = f"_{name}" if name in self.own else None
        self.import_from(SOURCES[name], name, alias)
        return alias or name

    def import_from(self, module: str, name: str, alias: str | None = None) -> None:
        """Import a name; one that the stub itself shows is imported `as` itself."""
        self.imports.add(f"from {self.relative(module)} import {name}" + (f" as {alias}" if alias else ""))

    def relative(self, module: str) -> str:
        """A module as seen from this one, by dots where it is the package's."""
        if not module.startswith("pullback"):
            return module
        here, there = self.package.split("."), torch_names.home(module).split(".")
        common = 0
        while common < min(len(here), len(there)) and here[common] == there[common]:
            common += 1
        return "." * (len(here) - common + 1) + ".".join(there[common:])

    # --- members --------------------------------------------------------------------------------------------

    def function(self, name: str, function: Function, method: bool = False) -> None:
        """Add a function, or a method, with the first paragraph of what it says of itself."""
        indent = "    " if method else ""
        function = behind(function)
        ignore = "  # type: ignore[override]  # elementwise" if name in ("__eq__", "__ne__") else ""
        told = paragraph(function)
        cases = self.cases(name, function, method)
        for k, (parameters, result) in enumerate(cases):
            if len(cases) > 1:
                self.lines.append(f"{indent}@{self.name('overload')}")
            body = "" if told and k == len(cases) - 1 else " ..."
            self.lines += definition(indent, name, parameters, result, body + ignore)
        if told:
            self.lines += documentation(indent + "    ", told)

    def cases(self, name: str, function: Function, method: bool) -> list[tuple[list[str], str]]:
        """The ways in which a function is called: parameters, and the result."""
        has_out = not method and takes_out(function)
        known = CASES.get(name) or (None if method else FUNCTION_CASES.get(name))
        if known is not None:
            first = ["self" if method else f"input: {self.name('Tensor')}"] if name in CASES else []
            found = []
            for rest, result in known:
                parts = [p.partition(": ") for p in rest.split(", ") if p]
                parameters = first + [n + c + (told and self.annotation(told)) for n, c, told in parts]
                kind = self.named(name) if result == "named" else result
                if has_out:
                    parameters = self.with_out(parameters, kind)
                found.append((parameters, self.annotation(kind)))
            return found
        result = self.result(name, function)
        reader = reader_of(twin_of(name, function))
        if reader is None:
            parameters = self.python_signature(name, function, method)
            if several(result):
                parameters = [p for p in parameters if not p.startswith("out:")]
                parameters = self.with_out(parameters, result) if has_out else parameters
            return self.flagged(name, parameters, result)
        forms = [
            form for s in reader.parser.signatures for form in self.forms(s, reader.tensor_first, method)
        ]
        if has_out:
            forms = [self.with_out(form, result) for form in forms]
        return [(form, result) for k, form in enumerate(forms) if form not in forms[:k]]

    def flagged(self, name: str, parameters: list[str], result: str) -> list[tuple[list[str], str]]:
        """The ways in which a function is called that returns more where flags are set."""
        flags = [f for f in FLAGS.get(name, ()) if any(p.startswith(f"{f}: ") for p in parameters)]
        if not flags:
            return [(parameters, result)]
        found = []
        for chosen in product((False, True), repeat=len(flags)):
            parts: list[str] = []
            for p in parameters:
                on = dict(zip(flags, chosen, strict=True)).get(p.partition(":")[0])
                if on and "*" not in parts:
                    parts.append("*")
                if on is not None:
                    kind = self.annotation(f"Literal[{on}]")
                    p = f"{p.partition(':')[0]}: {kind}" + ("" if on else " = ...")
                parts.append(p)
            more = ", ".join(["Tensor"] * (1 + sum(chosen)))
            kind = "Tensor" if not any(chosen) else TENSORS if name == "nonzero" else f"tuple[{more}]"
            found.append((parts, self.annotation(kind)))
        return [*found, (parameters, self.annotation("Any"))]

    def named(self, name: str) -> str:
        """The result with names that a function of this stub has, or an empty text."""
        kind = f"linalg_{name}" if self.module.endswith(".linalg") else name
        return f"return_types.{kind}" if kind in return_type_names() else ""

    def forms(self, signature: Signature, tensor_first: bool, method: bool) -> list[list[str]]:
        """The parameters of one of the parser's signatures; two forms where a size may be given
        number by number.
        """
        parameters = [p for p in signature.parameters if not (p.name == "out" and method)]
        first = ["self"] if method else [f"input: {self.name('Tensor')}"] if tensor_first else []
        if method and not tensor_first:
            receiver = next((p for p in parameters if p.kind == "Tensor"), parameters[0])
            parameters.remove(receiver)
        spread = signature.spread and bool(parameters) and parameters[0].kind == "tuple of ints"
        found = []
        for one_by_one in (True, False) if spread else (False,):
            parts = list(first)
            for p in parameters:
                if one_by_one and p is parameters[0]:
                    parts.append(f"*{p.name}: {self.name('int')}")
                    continue
                if p.keyword_only and not any(part.startswith("*") for part in parts):
                    parts.append("*")
                name = f"{p.name}_" if iskeyword(p.name) else p.name
                # torch prints the first number of a default that is a list.
                is_first = self.kind(p).startswith("Sequence") and p.default != "None"
                value = "..." if is_first else literal(p.default)
                parts.append(f"{name}: {self.kind(p)}" + (f" = {value}" if p.has_default else ""))
            found.append(parts)
        return found

    def with_out(self, form: list[str], result: str) -> list[str]:
        """Parameters with `out=`, which the declaration gave the function, among them."""
        if any(part.startswith("out:") for part in form):
            return form
        star = [] if any(part.startswith("*") for part in form) else ["*"]
        kind = self.annotation("Sequence[Tensor] | None" if several(result) else PARAMETERS["out"])
        return [*form, *star, f"out: {kind} = None"]

    def kind(self, parameter: Parameter) -> str:
        """The type of a parameter that torch's parser reads."""
        told = KINDS[parameter.kind]
        if told == KINDS["tuple of ints"] and parameter.accepts(1):
            told = f"int | {told}"  # one number stands for all
        text = self.annotation(told)
        return f"{text} | None" if parameter.allows_none and text != "Any" else text

    def python_signature(self, name: str, function: Function, method: bool) -> list[str]:
        """The parameters of a Python function, `out=` among them where the declaration gave it one."""
        function = twin_of(name, function)
        parameters = list(own_signature(function).parameters.values())
        if not method and "out" not in {p.name for p in parameters} and takes_out(function):
            at = len(parameters) - any(p.kind is p.VAR_KEYWORD for p in parameters)
            parameters.insert(at, inspect.Parameter("out", inspect.Parameter.KEYWORD_ONLY, default=None))
        if method:
            named = next((i for i, p in enumerate(parameters) if p.name in ("self", "input", "tensor")), 0)
            if parameters[named].kind is not inspect.Parameter.VAR_POSITIONAL:
                del parameters[named]
            parameters = [p for p in parameters if p.name != "out"]
        parts = ["self"] if method else []
        for p in parameters:
            if p.kind is p.KEYWORD_ONLY and not any(part.startswith("*") for part in parts):
                parts.append("*")
            star = {p.VAR_POSITIONAL: "*", p.VAR_KEYWORD: "**"}.get(p.kind, "")
            text = f"{star}{p.name}"
            text += f": {self.parameter(name, p)}"
            parts.append(text + (f" = {default(p)}" if p.default is not p.empty else ""))
        return parts

    def parameter(self, name: str, p: inspect.Parameter) -> str:
        """What a parameter takes."""
        if p.name == "self":
            return self.annotation("Tensor")
        text = "Any" if p.annotation is p.empty else text_of(p.annotation)
        if text != "Any" or p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD):
            return self.annotation(text)
        if p.name == "input" and name in NUMBER_FIRST:
            return self.annotation("Tensor | Number")
        if p.name == "cls":
            return self.annotation("type")
        text = PARAMETERS.get(p.name, "Any")
        if p.default is None and text != "Any" and "None" not in text:
            text += " | None"
        return self.annotation(text)

    def result(self, name: str, function: Function) -> str:
        """What a function returns."""
        if named := self.named(name):
            return self.annotation(named)
        if name in RESULTS:
            return self.annotation(RESULTS[name])
        if name.endswith("_") and not name.startswith("_"):
            return self.annotation("Tensor")
        kind = text_of(own_signature(twin_of(name, function)).return_annotation)
        if not re.fullmatch(r"Any|tuple\[Any(, Any)*(, \.\.\.)?\]", kind):
            return self.annotation(kind)
        return self.annotation(kind.replace("Any", "Tensor"))

    def property(self, name: str, value: property) -> None:
        """Add a property; one without a setter cannot be assigned to."""
        assert value.fget is not None
        told = text_of(inspect.signature(value.fget).return_annotation)
        if name.startswith("is_"):
            told = "bool"
        elif told == str(inspect.Signature.empty):
            told = "Any"
        elif told == "Any" and name in PARTS:
            told = "Tensor"
        kind = self.annotation(told)
        self.lines += ["    @property", f"    def {name}(self) -> {kind}: ..."]
        if value.fset is not None and "refuse" not in value.fset.__qualname__:
            self.lines += [f"    @{name}.setter", f"    def {name}(self, value: {kind}) -> None: ..."]

    def value(self, name: str, value: Any) -> None:
        """Add whatever a module shows: function, class, module, constant."""
        if inspect.isclass(value):
            module = home_of(value)
            if module is None or value.__name__ != name:
                self.lines.append(f"{name}: {self.annotation('Any')}")
            else:
                self.import_from(module, name, name)
        elif isinstance(value, ModuleType) and callable(value):
            # To type checkers a module cannot be called; the class that this one has can.
            kind = type(value).__name__
            self.import_from(type(value).__module__, kind)
            self.lines.append(f"{name}: {kind}")
        elif isinstance(value, ModuleType):
            self.import_from(value.__name__.rpartition(".")[0], name, name)
        elif is_generic(value):
            self.import_from(value.__module__, name, name)
        elif inspect.isfunction(value) or inspect.isbuiltin(value):
            self.function(name, value)
        else:
            kind = type(value).__name__ if value is not None else "None"
            self.lines.append(f"{name}: {self.annotation(kind)}")

    def text(self, summary: str) -> str:
        """The whole stub."""
        unions = [
            f"_{n}: {self.name('TypeAlias')} = {self.annotation(ALIASES[n])}" for n in sorted(self.aliases)
        ]
        imports = {i for i in self.imports if f"{i} as {i.split()[-1]}" not in self.imports}
        imports = sorted(imports, key=lambda line: (line.startswith("from ."), line.startswith("from"), line))
        return "\n".join([HEADER.format(summary), *imports, "", *unions, "", *self.lines, ""])


def several(result: str) -> bool:
    """Whether a result is of more than one tensor."""
    return "return_types" in result or "tuple[" in result


def is_generic(function: Function) -> bool:
    """Whether the source of a function has types that say more than a stub can: overloads, type variables."""
    if not inspect.isfunction(function) or hasattr(function, "__wrapped__"):
        return False
    told = [text_of(kind) for kind in function.__annotations__.values()]
    names = {name for text in told for name in re.findall(r"\w+", text)}
    variables = (name for name in names if isinstance(function.__globals__.get(name), TypeVar | ParamSpec))
    return bool(get_overloads(function)) or any(variables)


def reader_of(function: Function) -> Any:
    """The function behind a public one whose arguments torch's parser reads, or None."""
    inner: Any = function
    while inner is not None and not hasattr(inner, "parser"):
        inner = getattr(inner, "__wrapped__", None)
    return inner


def twin_of(name: str, function: Function) -> Function:
    """The function that an in-place variant was derived from, else the function itself."""
    derived = f"Write what :func:`{name.removesuffix('_')}` gives into `input`"
    if function.__name__ == name and (function.__doc__ or "").startswith(derived):
        declared = {d.name: d.function for d in REGISTRY if d.inplace}
        return declared.get(name.removesuffix("_"), function)
    return function


def home_of(cls: type) -> str | None:
    """The module in whose source a class stands: `__module__` is torch's name for many."""
    for name, module in sorted(sys.modules.items()):
        if name.startswith("pullback.") and vars(module).get(cls.__name__) is cls:
            path = getattr(module, "__file__", None)
            if path and re.search(rf"^class {cls.__name__}\b", Path(path).read_text(), re.MULTILINE):
                return name
    return None


def written_members() -> set[str]:
    """The names that stand in the body of the class `Tensor`."""
    tree = ast.parse((PACKAGE / "tensor/tensor.py").read_text())
    body = next(node.body for node in tree.body if isinstance(node, ast.ClassDef) and node.name == "Tensor")
    names = {node.name for node in body if isinstance(node, ast.FunctionDef)}
    return names | {
        t.id for node in body if isinstance(node, ast.Assign) for t in node.targets if isinstance(t, ast.Name)
    }


def methods_stub() -> str:
    """The stub of what is attached to `Tensor`."""
    skipped = {
        *written_members(), "__module__", "__doc__", "__slots__", "__new__", "__init_subclass__", "__hash__",
        "__repr__",  # object has it; mypy compares no keyword-only parameters of special methods
    }  # fmt: skip
    members = {n: v for n, v in vars(Tensor).items() if n not in skipped and not isinstance(v, Missing)}
    stub = Stub("pullback.tensor.tensor", dir(Tensor))
    stub.import_from("pullback.core.value", "TensorBase")
    stub.lines += ["class Methods(TensorBase):", '    """What the declarations attach to `Tensor`."""', ""]
    stub.lines.append(
        f"    def __new__(cls, *args: {stub.name('Any')}, **kwargs: {stub.name('Any')}) -> "
        f"{stub.name('Tensor')}: ..."
    )
    for name in sorted(members):
        value = members[name]
        if isinstance(value, property):
            stub.property(name, value)
        elif isinstance(value, classmethod | staticmethod):
            stub.lines.append(f"    @{type(value).__name__}")
            stub.lines.append(
                f"    def {name}({'cls, ' if isinstance(value, classmethod) else ''}*args: Any, **kwargs: "
                "Any) -> Any: ..."
            )
        elif callable(value):
            stub.function(name, value, method=True)
        else:
            stub.lines.append(f"    {name}: {stub.annotation(type(value).__name__)}")
    return stub.text("The methods, operators and properties that declarations attach to `Tensor`.")


@cache
def return_type_names() -> dict[str, tuple[str, ...]]:
    """The results with names → their parts."""
    return {kind.__name__: kind.__match_args__ for kind in pullback.return_types.all_return_types}


def return_types_stub() -> str:
    """The stub of the results with names: tuples whose parts are attributes, too."""
    stub = Stub("pullback.torch_names.return_types", ())
    for name, parts in sorted(return_type_names().items()):
        edges = (name, "bin_edges") == ("histogramdd", parts[-1])
        kinds = [stub.annotation(TENSORS if edges and p == parts[-1] else "Tensor") for p in parts]
        function = name.replace("linalg_", "linalg.")
        stub.lines += [f"class {name}(tuple[{', '.join(kinds)}]):"]
        stub.lines += [f'    """The result of `{function}`."""', ""]
        for part, kind in zip(parts, kinds, strict=True):
            stub.lines += ["    @property", f"    def {part}(self) -> {kind}: ..."]
    stub.lines.append(f"all_return_types: list[type[tuple[{stub.name('Any')}, ...]]]")
    return stub.text("torch.return_types.")


def module_stub(module: ModuleType, shown: Mapping[str, Any], summary: str) -> str:
    """The stub of a module whose names come from declarations."""
    stub = Stub(module.__name__, {n for n, value in shown.items() if not inspect.isclass(value)})
    for name in sorted(shown):
        stub.value(name, shown[name])
    return stub.text(summary)


def top_level() -> dict[str, Any]:
    """The names of torch's top level, lazily loaded ones included."""
    lazy = [n for n in pullback._LAZY if find_spec(f"pullback.{n}") is not None]
    names = [n for n in (*pullback.__all__, *pullback._LAZY_NAMES, *lazy) if n != "__version__"]
    return {"__version__": pullback.__version__, **{n: getattr(pullback, n) for n in dict.fromkeys(names)}}


def stubs() -> dict[Path, str]:
    """Every stub's path and text."""
    found = {
        PACKAGE / "__init__.pyi": module_stub(pullback, top_level(), "torch's top level."),
        PACKAGE / "tensor/methods.pyi": methods_stub(),
        PACKAGE / "torch_names/return_types.pyi": return_types_stub(),
    }
    for namespace in sorted({d.namespace for d in REGISTRY} | {"nn.functional"}):
        name = f"pullback.{namespace}"
        if not namespace or find_spec(name) is None:
            continue
        module = importlib.import_module(name)
        path = Path(module.__file__ or "").with_suffix(".pyi")
        found[path] = module_stub(
            module, {n: getattr(module, n) for n in module.__all__}, f"torch.{namespace}."
        )
    return found


def main() -> int:
    """Write the stubs, or with ``--check`` say which are stale."""
    if not PACKAGE.is_relative_to(ROOT):
        sys.exit(f"another tree would be written, {PACKAGE}: put {ROOT / 'src'} on PYTHONPATH")
    stale = []
    for path, text in stubs().items():
        if not path.is_file() or path.read_text(encoding="utf-8") != text:
            stale.append(path.relative_to(PACKAGE.parent).as_posix())
            if "--check" not in sys.argv:
                path.write_text(text, encoding="utf-8")
    if "--check" in sys.argv and stale:
        print("stale, run `python -m tools.make_stubs`:", *stale)
        return 1
    print("written:", *stale or ["nothing has changed"])
    return 0


if __name__ == "__main__":
    sys.exit(main())
