"""Mathematical functions of a module: LLVM's intrinsics and the C library's."""

from __future__ import annotations

from .emitter import Module

_INTRINSIC = frozenset({"exp", "exp2", "log", "log2", "log10", "sin", "cos", "pow"})


def definitions(module: Module) -> tuple[list[str], dict[str, str]]:
    """(definitions, declarations) of the functions that a module asked for."""
    functions, declared = [], {}
    for symbol in module.functions:
        name, type_ = symbol.rsplit("_", 1)
        letters = {"float": "f32", "double": "f64"}[type_]
        count = 2 if name in ("pow", "atan2", "hypot", "fmod") else 1
        callee = f"llvm.{name}.{letters}" if name in _INTRINSIC else name + ("f" if type_ == "float" else "")
        parameters = ", ".join(f"{type_} %x{n}" for n in range(count))
        declared[callee] = f"declare {type_} @{callee}({', '.join([type_] * count)})"
        functions.append(
            f"define internal {type_} @{symbol}({parameters}) alwaysinline memory(none) nounwind willreturn "
            f"#0 {{\n  %r = call {type_} @{callee}({parameters})\n  ret {type_} %r\n}}"
        )
    return functions, declared
