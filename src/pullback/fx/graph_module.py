"""Define a module whose `forward` is written from a graph."""

from __future__ import annotations

import copy
import linecache
import sys
import traceback
from collections.abc import Callable
from itertools import accumulate, count
from operator import attrgetter
from pathlib import Path
from typing import Any

from ..nn import Module, Parameter
from ..nn.modules.module import _addindent
from ..tensor.tensor import Tensor
from .codegen import IMPORTS, PythonCode, everywhere
from .graph import Graph
from .targets import torch_path

_number = count()


def compiled_forward(code: str, names: dict[str, Any]) -> Callable[..., Any]:
    """Return the function that a graph's code defines; tracebacks show its lines."""
    file = f"<eval_with_key>.{next(_number)}"
    space = dict(names)
    exec(compile(code, file, "exec"), space)
    linecache.cache[file] = (len(code), None, code.splitlines(keepends=True), file)
    return space["forward"]


def _holder(module: Module, path: str, like: Module | None = None) -> Module | None:
    """Return the module that holds the last part of a path, made if missing; None if it is that of `like`."""
    for part in path.split(".")[:-1]:
        held = getattr(module, part, None)
        if like is not None:
            like = getattr(like, part)
            if held is like:
                return None
        if held is None:
            held = Module()
            setattr(module, part, held)
        module = held
    return module


def _put(holder: Module, path: str, value: Any) -> None:
    name = path.rpartition(".")[2]
    if isinstance(value, Tensor) and not isinstance(value, Parameter):
        holder.register_buffer(name, value)
    else:
        setattr(holder, name, value)


def _explained(error: BaseException, frame: traceback.FrameSummary) -> str:
    """Return the traceback, and where in the generated code the error arose."""
    lines = linecache.getlines(frame.filename)
    at = frame.lineno or 0
    return "\n".join(
        [
            "".join(traceback.format_exception(error)),
            f"Call using an FX-traced Module, line {at} of the traced Module's generated forward function:",
            "".join(lines[at - 2 : at]),
            "~" * len(frame.line or "") + "~~~ <--- HERE",
            "\n".join(lines[at : at + 2]),
        ]
    )


class GraphModule(Module):
    """A module made of a graph.

    Parameters
    ----------
    root : Module or dict
        Where the graph's parameters, buffers and submodules come from, by path.
    graph : Graph
        Change it through `graph`, then call `recompile`.
    class_name : str, optional
        What the module is called when it is printed.

    Attributes
    ----------
    code : str
        The source of `forward`.
    """

    _code: str

    def __new__(cls, *args: Any, **kwargs: Any) -> GraphModule:
        # Each has a class of its own, because `forward` is an attribute of the class.
        base = next(c for c in cls.__mro__ if not c.__qualname__.endswith("GraphModuleImpl"))
        own = type("GraphModuleImpl", (base,), {"__module__": base.__module__})
        return super().__new__(own)

    def __init__(self, root: Module | dict[str, Any], graph: Graph, class_name: str = "GraphModule") -> None:
        super().__init__()
        type(self).__name__ = class_name
        used = [n for n in graph.nodes if n.op in ("get_attr", "call_module")]
        if isinstance(root, Module):
            self.training = root.training
            for node in used:
                if (holder := _holder(self, node.target, root)) is not None:
                    _put(holder, node.target, attrgetter(node.target)(root))
        elif isinstance(root, dict):
            for node in used:
                if node.target not in root:
                    raise RuntimeError(
                        f"Node {node} referenced target {node.target} but that target was not provided in "
                        "``root``!"
                    )
            for path in sorted((n.target for n in used), key=lambda path: path.count(".")):
                holder = _holder(self, path)
                assert holder is not None
                _put(holder, path, root[path])
        else:
            raise RuntimeError(f"Unsupported type {root} passed for root!")
        self._tracer_cls = graph._tracer_cls
        self.meta: dict[str, Any] = {}
        self._create_node_hooks: list[Callable[..., Any]] = []
        self._erase_node_hooks: list[Callable[..., Any]] = []
        self._replace_hooks: list[Callable[..., Any]] = []
        self.graph = graph

    @property
    def graph(self) -> Graph:
        """Return the graph; setting it writes `forward` anew."""
        return self._graph

    @graph.setter
    def graph(self, g: Graph) -> None:
        if not isinstance(g, Graph):
            raise AssertionError(f"Expected a Graph instance, but got {type(g)}")
        self._graph = g
        g.owning_module = self
        self.recompile()

    @property
    def code(self) -> str:
        """Return the source of `forward` as it was last written."""
        return self._code

    def recompile(self) -> PythonCode:
        """Write `forward` from the graph, after the graph was changed."""
        written = self._graph.python_code(root_module="self")
        self._code = written.src
        cls = type(self)
        cls.forward = compiled_forward(written.src, written.globals)
        for child in self.children():
            if isinstance(child, GraphModule):
                child.recompile()
        return written

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        try:
            return super().__call__(*args, **kwargs)
        except Exception as error:
            frame = traceback.extract_tb(error.__traceback__)[-1]
            if "eval_with_key" in frame.filename:
                sys.stderr.write(f"{_explained(error, frame)}\n")
                raise error.with_traceback(None) from None
            raise

    # --- submodules -----------------------------------------------------------------------------------------

    def add_submodule(self, target: str, m: Module) -> bool:
        """Put a module at a path; False where the path leads through something else than modules."""
        holder: Any = self
        for part in target.split(".")[:-1]:
            if (held := getattr(holder, part, None)) is None:
                held = Module()
                setattr(holder, part, held)
            if not isinstance(held, Module):
                return False
            holder = held
        holder.add_module(target.rpartition(".")[2], m)
        return True

    def delete_submodule(self, target: str) -> bool:
        """Take the module at a path out; False where there is none."""
        holder: Any = self
        *path, name = target.split(".")
        for part in path:
            if not isinstance((holder := getattr(holder, part, None)), Module):
                return False
        if not isinstance(getattr(holder, name, None), Module):
            return False
        delattr(holder, name)
        return True

    def delete_all_unused_submodules(self) -> None:
        """Take out the modules that no node calls or reads from."""
        used: set[str] = set()
        for node in self.graph.nodes:
            if node.op in ("call_module", "get_attr"):
                used.update(accumulate(node.target.split("."), lambda x, y: f"{x}.{y}"))
            if node.op == "call_module":
                inner = dict(self.named_modules()).get(node.target)
                if inner is not None:
                    used.update(f"{node.target}.{name}" for name, _ in inner.named_modules() if name)
        for name in [name for name, _ in self.named_modules() if name and name not in used]:
            self.delete_submodule(name)

    # --- copies and files -----------------------------------------------------------------------------------

    def __reduce__(self) -> tuple[Any, ...]:
        body = dict(self.__dict__)
        written = self.recompile()
        del body["_graph"]
        if f"{body['_tracer_cls'].__module__}.".startswith("torch.fx."):
            body["_tracer_cls"] = None
        lines = {_import_of(name, value) for name, value in written.globals.items()}
        return reduce_graph_module, (body, "\n".join(sorted(lines)))

    def __reduce_ex__(self, protocol: Any) -> Any:
        return self.__reduce__()

    def __deepcopy__(self, memo: dict[int, Any]) -> GraphModule:
        held = _Holder(copy.deepcopy({k: v for k, v in self.__dict__.items() if k != "_graph"}, memo))
        copied = GraphModule(held, copy.deepcopy(self._graph))
        memo[id(self)] = copied
        _fill(copied, held)
        return copied

    def __copy__(self) -> GraphModule:
        copied = GraphModule(self, self.graph)
        copied.meta = self.meta
        return copied

    def to_folder(self, folder: Any, module_name: str = "FxModule") -> None:
        """Write the module as a package: its code, and a file of its parameters.

        Parameters
        ----------
        folder : path
        module_name : str, optional
            The name of the class in it.
        """
        from ..serialization import save

        place = Path(folder)
        place.mkdir(exist_ok=True)
        save(self.state_dict(), place / "state_dict.pt")
        lines = [
            "import torch", *IMPORTS.values(), "", "from torch.nn import *",
            f"class {module_name}(torch.nn.Module):", "    def __init__(self):", "        super().__init__()",
        ]  # fmt: skip
        for name, module in self.named_children():
            file = place / f"{name}.pt"
            save(module, file)
            lines.append(f"        setattr(self, {name!r}, torch.load({str(file)!r}, weights_only=False))")
        for name, buffer in self._buffers.items():
            if buffer is not None:
                made = f"torch.empty({list(buffer.shape)}, dtype={buffer.dtype})"
                lines.append(f"        self.register_buffer({name!r}, {made})")
        for name, parameter in self._parameters.items():
            if parameter is not None:
                made = f"torch.nn.Parameter(torch.empty({list(parameter.shape)}, dtype={parameter.dtype}))"
                lines.append(f"        setattr(self, {name!r}, {made})")
        lines.append(f"        self.load_state_dict(torch.load({str(place / 'state_dict.pt')!r}))")
        lines += [f"    {line}" if line else "" for line in self.code.splitlines()]
        (place / "module.py").write_text("\n".join(lines) + "\n", encoding="utf-8")
        (place / "__init__.py").write_text("from .module import *", encoding="utf-8")

    # --- printing -------------------------------------------------------------------------------------------

    def print_readable(
        self, print_output: bool = True, include_stride: bool = False, include_device: bool = False,
        colored: bool = False,
    ) -> str:  # fmt: skip
        """Print the module as a class with shapes where they are known; return the text."""
        code = self._graph.python_code(root_module="self", verbose=True).src.lstrip("\n")
        text = _addindent(f"class {type(self).__name__}(torch.nn.Module):\n{code}", 4)
        inner = (c.print_readable(print_output=False) for c in self.children() if isinstance(c, GraphModule))
        text += _addindent("\n".join(["", *inner]), 4)
        if print_output:
            print(text)  # noqa: T201  # its task
        return text

    def __str__(self) -> str:
        hint = "# To see more debug info, please use `graph_module.print_readable()`"
        return "\n".join([super().__str__(), self._code, hint])


def _import_of(name: str, value: Any) -> str:
    if name in IMPORTS:
        return IMPORTS[name]
    if torch_path(value) is not None:
        return "import torch"
    return f"from {value.__module__} import {value.__qualname__} as {name}"


class _Holder(Module):
    """Hold the attributes of a saved graph module, so that its graph can be traced again."""

    def __init__(self, body: dict[str, Any]) -> None:
        super().__init__()
        self.__dict__.update(body)


def _fill(module: GraphModule, held: _Holder) -> None:
    """Give a module made anew what no node of its graph reads."""
    for store in ("_parameters", "_buffers", "_modules"):
        for name, value in held.__dict__[store].items():
            module.__dict__[store].setdefault(name, value)
    for name, value in held.__dict__.items():
        if name not in module.__dict__:
            module.__dict__[name] = value


def reduce_graph_module(body: dict[str, Any], import_block: str) -> GraphModule:
    """Make a module from its saved contents, in which the graph is its code."""
    from ._symbolic_trace import Tracer

    known = set(IMPORTS.values())
    imports = "\n".join(line for line in import_block.splitlines() if line not in known)
    held = _Holder(body)

    class KeepModules(Tracer):
        def is_leaf_module(self, m: Module, module_qualified_name: str) -> bool:
            return True

    forward = compiled_forward(f"{imports}\n{body['_code']}", everywhere())
    _Saved = type("_Saved", (_Holder,), {"forward": forward})
    held.__class__ = _Saved
    graph = KeepModules().trace(held)
    graph._tracer_cls = body.get("_tracer_cls") or Tracer
    made = GraphModule(held, graph)
    _fill(made, held)
    return made


__all__ = ["GraphModule", "reduce_graph_module"]
