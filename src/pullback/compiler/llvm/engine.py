"""Compiling LLVM text with llvmlite, and keeping the machine code."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from .. import cache

#: Options under which the loops' text is compiled; part of the disk cache's key.
SPEED = 3

#: Lines of a text whose loops' bodies are not vectorised as straight code: that takes as long as all else.
LONG = 2000
#: Lines of straight code from which it is compiled as it stands, more or less: passes and the search for the
#: best order of instructions find next to nothing in it, and take twice the time.
ENDLESS = 6000


def _machine(effort: int = 3) -> Any:
    """A target machine: this processor, with all that it has; `effort` is that of the code generator."""
    import llvmlite.binding as llvm

    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    features = llvm.get_host_cpu_features()
    return llvm.Target.from_default_triple().create_target_machine(
        cpu=llvm.get_host_cpu_name(), features=features.flatten(), opt=effort, jit=True,
        codemodel="jitdefault",
    )


#: The machine that optimises; an engine takes over one of its own.
target = functools.cache(_machine)


@functools.cache
def attributes() -> str:
    """Attributes of every function: the processor, so that loops use its widest registers."""
    import llvmlite.binding as llvm

    features = llvm.get_host_cpu_features().flatten()
    return (
        f'attributes #0 = {{ "target-cpu"="{llvm.get_host_cpu_name()}" "target-features"="{features}" '
        '"prefer-vector-width"="512" "no-trapping-math"="true" }'
    )


def whole(*texts: Iterable[str]) -> str:
    """The text of a module from its declarations and functions; loops may refer to group 0, and be of
    kind 1 (independent iterations of that group) or 3 (not to be unrolled).
    """
    return "\n".join(
        [
            *(line for text in texts for line in text), attributes(), "!0 = distinct !{}",
            '!1 = distinct !{!1, !2}\n!2 = !{!"llvm.loop.parallel_accesses", !0}',
            '!3 = distinct !{!3, !4}\n!4 = !{!"llvm.loop.unroll.disable"}',
        ]
    )


@functools.cache
def machine_name() -> str:
    """LLVM and the processor that it compiles for."""
    import llvmlite.binding as llvm

    return f"{llvm.llvm_version_info} {llvm.get_default_triple()} {attributes()}"


@functools.cache
def register_bytes() -> int:
    """How wide the processor's widest vector register is."""
    import llvmlite.binding as llvm

    features = llvm.get_host_cpu_features()
    return 64 if features.get("avx512f") else 32 if features.get("avx") else 16


@functools.cache
def fused() -> bool:
    """Whether the processor has fused multiply-adds."""
    import llvmlite.binding as llvm

    features = llvm.get_host_cpu_features()
    return any(features.get(name) for name in ("fma", "neon", "fp-armv8"))


class Code(NamedTuple):
    """Machine code of a module.

    Attributes
    ----------
    object : bytes
        An object file in memory.
    called : tuple of str
        The mathematical functions that the optimised module calls.
    """

    object: bytes
    called: tuple[str, ...]


#: Of a program without native code.
NOTHING = Code(b"", ())


def compiled(text: str, optimize: bool = True, straight: bool = True) -> Code:
    """Compile a module's text."""
    module = _module(text, optimize, straight)
    called = sorted(set(re.findall(r"call [^@\n]*@(pullback_\w+_(?:float|double)(?:_\d+)?)\(", str(module))))
    return Code(target(_effort(text, straight)).emit_object(module), tuple(called))


def hasty(text: str) -> Code:
    """Compile a text that hardly ever runs, in a sixth of the time."""
    return Code(target(0).emit_object(_module(text, False)), ())


def _effort(text: str, straight: bool) -> int:
    return 1 if straight and text.count("\n") > ENDLESS else SPEED


def _module(text: str, optimize: bool, straight: bool = True) -> Any:
    import llvmlite.binding as llvm

    machine = target()
    module = llvm.parse_assembly(text)
    module.triple = machine.triple
    module.data_layout = str(machine.target_data)
    module.verify()
    if optimize:
        effort = _effort(text, straight)
        options = llvm.create_pipeline_tuning_options(speed_level=effort)
        options.loop_vectorization = True
        options.slp_vectorization = effort == SPEED and (straight or text.count("\n") < LONG)
        builder = llvm.create_pass_builder(machine, options)
        builder.getModulePassManager().run(module, builder)
    return module


def kept(text: str, optimize: bool, straight: bool) -> Code:
    """Compile a module's text, or take what an earlier process made of it."""
    name = cache.key("text", f"{optimize} {straight}", text)
    return kept_as(name, lambda: compiled(text, optimize, straight))


def kept_as(name: str, compile: Callable[[], Code]) -> Code:
    """Take what an earlier process kept under a name, or compile it and keep it."""
    code = found_as(name)
    if code is None:
        code = compile()
        cache.write(name, code.called, code.object)
    return code


def found_as(name: str) -> Code | None:
    """What an earlier process kept under a name; None where there is nothing."""
    found = cache.read(name)
    return None if found is None else Code(found[1], tuple(found[0]))


class Library:
    """Machine code in memory, and the addresses of its functions.

    Parameters
    ----------
    code : Code or str
        Machine code, or LLVM's text.
    symbols : dict of str to int
        Addresses of functions that the module calls and the process does not export.
    resolve : callable, optional
        Gives the addresses of the mathematical functions that are called.
    optimize : bool
        Run LLVM's passes. Text that is written as the processor wants it gains nothing from them and is
        compiled in a third of the time without.
    straight : bool
        It has long stretches without loops, which are worth the time that their vectoriser takes.
    """

    def __init__(
        self, code: Code | str, symbols: dict[str, int],
        resolve: Callable[[Iterable[str]], dict[str, int]] | None = None, *, optimize: bool = True,
        straight: bool = True,
    ) -> None:
        import llvmlite.binding as llvm

        self.optimize = optimize
        self.text = code if isinstance(code, str) else None
        self.code = code = kept(code, optimize, straight) if isinstance(code, str) else code
        if resolve is not None:
            symbols = {**symbols, **resolve(code.called)}
        for name, address in symbols.items():
            llvm.add_symbol(name, address)
        self.engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), _machine())
        self.engine.add_object_file(llvm.ObjectFileRef.from_data(code.object))
        self.engine.finalize_object()

    def address(self, name: str) -> int:
        """Where a function lies."""
        return int(self.engine.get_function_address(name))

    def assembly(self) -> str:
        """The machine's instructions, as text; the library must have been made from LLVM's text."""
        assert self.text is not None
        return str(target().emit_assembly(_module(self.text, self.optimize)))
