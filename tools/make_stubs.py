"""Write the stubs that tell editors and type checkers what the declarations make at import.

Run after a public function was declared or changed, from the project's root: ``python -m tools.make_stubs``.
Four kinds of files are made, each beside the module that it describes:

- `pullback/__init__.pyi`: torch's top level;
- `pullback/tensor/methods.pyi`: the methods, properties and operators that are attached to `Tensor`, in-place
  twins included; `tensor.py` derives the class from them where types are checked;
- `pullback/<namespace>.pyi` for `linalg` and its like;
- `pullback/nn/functional/__init__.pyi`.

A signature comes from what torch's parser reads where the declaration has that, else from the function. There
`Any` stands for what torch calls a tensor: as a result it is one unless `RESULTS` says otherwise, as a
parameter it is what `PARAMETERS` says of its name, and stays `Any` where that says nothing.
"""

from __future__ import annotations

import ast
import builtins
import importlib
import inspect
import re
import sys
from collections.abc import Callable, Iterable, Mapping
from importlib.util import find_spec
from keyword import iskeyword
from pathlib import Path
from textwrap import fill
from types import ModuleType
from typing import Any

import pullback
from pullback.exclusions import Missing
from pullback.tensor.api import REGISTRY
from pullback.tensor.signature import Parameter, Signature
from pullback.tensor.tensor import Tensor

PACKAGE = Path(pullback.__file__).parent
WIDTH = 110

#: What a parameter of a name takes where the function's own annotation is `Any`.
PARAMETERS = {
    "input": "Tensor", "out": "Tensor | None", "dtype": "dtype | None", "layout": "layout | None",
    "device": "Device | None", "memory_format": "memory_format | None", "generator": "Generator | None",
    "alpha": "Number", "beta": "Number", "mat": "Tensor", "mat1": "Tensor", "mat2": "Tensor",
    "batch1": "Tensor", "batch2": "Tensor", "vec": "Tensor", "vec1": "Tensor", "vec2": "Tensor",
    "tensor1": "Tensor", "tensor2": "Tensor",
}  # fmt: skip

#: Functions whose `input` may be a number.
NUMBER_FIRST = {
    "bitwise_and", "bitwise_left_shift", "bitwise_or", "bitwise_right_shift", "bitwise_xor", "pow",
    "remainder", "where",
}  # fmt: skip

#: Functions with results that have names (torch.return_types), or that depend on the arguments.
ANY_RESULT = {
    "adaptive_max_pool1d", "adaptive_max_pool2d", "adaptive_max_pool3d", "aminmax", "atleast_1d",
    "atleast_2d", "atleast_3d", "broadcast_tensors", "cholesky_ex", "cummax", "cummin", "eig", "eigh",
    "fractional_max_pool2d", "fractional_max_pool3d", "frexp", "geqrf", "histogram", "histogramdd", "inv_ex",
    "item", "kthvalue", "ldl_factor", "ldl_factor_ex", "load", "lstsq", "lu", "lu_factor", "lu_factor_ex",
    "lu_unpack", "max", "max_pool1d", "max_pool2d", "max_pool3d", "median", "meshgrid", "min", "mode",
    "nanmedian", "new", "nonzero", "qr", "slogdet", "solve_ex", "sort", "svd", "tolist", "topk",
    "triangular_solve", "type", "unique", "unique_consecutive", "where", "__array_wrap__", "__dlpack__",
}  # fmt: skip

PAIR = "tuple[Tensor, Tensor]"

#: Results that are no tensors although the function's annotation is `Any`.
RESULTS = {
    **dict.fromkeys(ANY_RESULT, "Any"),
    "allclose": "bool", "is_complex": "bool", "is_conj": "bool", "is_floating_point": "bool",
    "is_inference": "bool", "is_neg": "bool", "is_signed": "bool", "is_storage": "bool", "is_tensor": "bool",
    "std_mean": PAIR, "var_mean": PAIR,
    **dict.fromkeys((f"{k}max_pool{n}d_with_indices" for k in ("", "adaptive_") for n in (1, 2, 3)), PAIR),
    **dict.fromkeys(("split_copy", "split_with_sizes_copy", "unbind_copy"), "tuple[Tensor, ...]"),
    "__iter__": "Iterator[Tensor]",
}  # fmt: skip

#: Properties that are tensors.
PARTS = {"H", "T", "imag", "mH", "mT", "real"}

#: Unions that are written once in a stub.
ALIASES = {"Number": "int | float | complex", "Device": "device | str | int"}

#: What torch's parser calls a type → what a caller may give.
KINDS = {
    "int": "int",
    "float": "float",
    "Number": "Number",
    "bool": "bool",
    "Tensor": "Tensor",
    "tuple of ints": "Sequence[int]",
    "tuple of Scalars": "Sequence[complex]",
    "tuple of floats": "Sequence[float]",
    "tuple of Tensors": "Sequence[Tensor]",
    "torch.dtype": "dtype",
    "torch.layout": "layout",
    "torch.memory_format": "memory_format",
    "torch.device": "Device",
    "torch.Generator": "Generator",
    "torch.Storage": "UntypedStorage | TypedStorage",
    "str": "str",
    "object": "Any",
}

#: Names that annotations use → where they come from.
SOURCES = {
    "Any": "typing",
    **dict.fromkeys(("TypeAlias", "overload"), "typing"),
    **dict.fromkeys(("Callable", "Iterable", "Iterator", "Mapping", "Sequence"), "collections.abc"),
    "ndarray": "numpy",
    "Tensor": "pullback.tensor.tensor",
    "dtype": "pullback.dtypes",
    "device": "pullback.device",
    "Size": "pullback.size",
    **dict.fromkeys(("layout", "memory_format"), "pullback.tensor.constants"),
    "Generator": "pullback.tensor.random",
    "UntypedStorage": "pullback.tensor.untyped_storage", "TypedStorage": "pullback.tensor.typed_storage",
}

HEADER = (
    '"""{}\n\nWritten by tools/make_stubs.py: run ``python -m tools.make_stubs``, and change nothing here by '
    'hand.\n"""\n'
)

Function = Callable[..., Any]


def outer_parameters(function: Callable[..., Any]) -> Mapping[str, inspect.Parameter]:
    """The parameters of what the declaration made of a function; an alias has those of the first name."""

    def takes_out(f: Callable[..., Any]) -> bool:
        return "out" in inspect.signature(f, follow_wrapped=False).parameters

    return inspect.signature(inspect.unwrap(function, stop=takes_out), follow_wrapped=False).parameters


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
        name = name.rpartition(".")[2]
        if name == "None":
            return name
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
        here, there = self.package.split("."), module.split(".")
        common = 0
        while common < min(len(here), len(there)) and here[common] == there[common]:
            common += 1
        return "." * (len(here) - common + 1) + ".".join(there[common:])

    # --- members --------------------------------------------------------------------------------------------

    def function(self, name: str, function: Function, method: bool = False) -> None:
        """Add a function, or a method, with the first paragraph of what it says of itself."""
        indent = "    " if method else ""
        reader = reader_of(twin_of(name, function))
        if reader is None:
            forms = [self.python_signature(name, function, method)]
        else:
            forms = [
                form for s in reader.parser.signatures for form in self.forms(s, reader.tensor_first, method)
            ]
            if not method and "out" in outer_parameters(function):
                forms = [self.with_out(form) for form in forms]
            forms = [form for k, form in enumerate(forms) if form not in forms[:k]]
        ignore = "  # type: ignore[override]  # elementwise" if name in ("__eq__", "__ne__") else ""
        told = paragraph(function)
        for k, parameters in enumerate(forms):
            if len(forms) > 1:
                self.lines.append(f"{indent}@{self.name('overload')}")
            body = "" if told and k == len(forms) - 1 else " ..."
            self.lines += definition(indent, name, parameters, self.result(name, function), body + ignore)
        if told:
            self.lines += documentation(indent + "    ", told)

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
                parts.append(f"{name}: {self.kind(p)}" + (" = ..." if p.has_default else ""))
            found.append(parts)
        return found

    def with_out(self, form: list[str]) -> list[str]:
        """Parameters with `out=`, which the declaration gave the function, among them."""
        if any(part.startswith("out:") for part in form):
            return form
        star = [] if any(part.startswith("*") for part in form) else ["*"]
        return [*form, *star, f"out: {self.annotation(PARAMETERS['out'])} = ..."]

    def kind(self, parameter: Parameter) -> str:
        """The type of a parameter that torch's parser reads."""
        text = self.annotation(KINDS[parameter.kind])
        return f"{text} | None" if parameter.allows_none and text != "Any" else text

    def python_signature(self, name: str, function: Function, method: bool) -> list[str]:
        """The parameters of a Python function, `out=` among them where the declaration gave it one."""
        function = twin_of(name, function)
        parameters = list(inspect.signature(function).parameters.values())
        outside = outer_parameters(function)
        if not method and "out" in outside and "out" not in {p.name for p in parameters}:
            at = len(parameters) - any(p.kind is p.VAR_KEYWORD for p in parameters)
            parameters.insert(at, outside["out"].replace(annotation="Any", default=None))
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
        text = "Any" if p.annotation is p.empty else str(p.annotation)
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
        if name in RESULTS:
            return self.annotation(RESULTS[name])
        if name.endswith("_") and not name.startswith("_"):
            return self.annotation("Tensor")
        told = str(inspect.signature(twin_of(name, function)).return_annotation)
        if not re.fullmatch(r"Any|tuple\[Any(, Any)*(, \.\.\.)?\]", told):
            return self.annotation(told)
        return self.annotation(told.replace("Any", "Tensor"))

    def property(self, name: str, value: property) -> None:
        """Add a property; one without a setter cannot be assigned to."""
        assert value.fget is not None
        told = str(inspect.signature(value.fget).return_annotation)
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


def reader_of(function: Function) -> Any:
    """The function behind a public one whose arguments torch's parser reads, or None."""
    inner: Any = function
    while inner is not None and not hasattr(inner, "parser"):
        inner = getattr(inner, "__wrapped__", None)
    return inner


def twin_of(name: str, function: Function) -> Function:
    """The function that an in-place twin was derived from, else the function itself."""
    if function.__name__ == function.__qualname__ == name and "In-place version of" in (
        function.__doc__ or ""
    ):
        declared = {d.name: d.function for d in REGISTRY if d.inplace}
        return declared.get(name.removesuffix("_"), function)
    return function


def paragraph(function: Function) -> str:
    """The first paragraph of what a function says of itself, on one line."""
    text = " ".join((inspect.getdoc(function) or "").split("\n\n")[0].split())
    return text.replace("\\", "\\\\").replace('"""', "'''")


def definition(indent: str, name: str, parameters: list[str], result: str, rest: str) -> list[str]:
    """A function's head in lines of at most `WIDTH` columns."""
    line = f"{indent}def {name}({', '.join(parameters)}) -> {result}:{rest}"
    if len(line) <= WIDTH:
        return [line]
    lines = [f"{indent}def {name}("]
    row = indent + "   "
    for parameter in parameters:
        if len(row) + len(parameter) + 2 > WIDTH:
            lines.append(row)
            row = indent + "   "
        row += f" {parameter},"
    return [*lines, row, f"{indent}) -> {result}:{rest}"]


def documentation(indent: str, text: str) -> list[str]:
    """A docstring in lines of at most `WIDTH` columns."""
    if len(indent) + len(text) + 6 <= WIDTH:
        return [f'{indent}"""{text}"""']
    lines = fill(f'"""{text}', WIDTH - 3, initial_indent=indent, subsequent_indent=indent).splitlines()
    return [*lines, f'{indent}"""']


def default(p: inspect.Parameter) -> str:
    """A default value as a stub writes it."""
    plain = p.default is None or isinstance(p.default, bool | int | float | str) or p.default == ()
    return repr(p.default) if plain and repr(p.default) not in ("inf", "nan") else "..."


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
