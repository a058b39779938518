"""The modules that a program's functions are compiled in: one, or, where there are many kernels, several.

Kernels that are many are not inlined into what calls them, so they need not stand beside it. They gather in
modules of some hundred lines, each of which is handed to the compiler as soon as it is full, while the next
kernels are written. What calls kernels does so for a moment in all the time that they take, and is compiled
in haste. The modules are the same in whichever process they are compiled.
"""

import re
from collections.abc import Callable, Iterable, Sequence

from ..runtime import engine
from . import functions
from .codegen import HASTY, LOOPS, Code, Effort, is_endless
from .emitter import Module
from .sizes import General, pattern
from .widened import widened

#: Steps that are kernels, or nodes in loops' kernels, from which kernels have modules of their own, which
#: several processes compile: inlining 80 took four times the time. From 13 kernels on two rows took 1.27
#: times as long: LLVM makes use of what it knows of a module's functions although it inlines none.
MANY, DENSE = 16, 150
#: Lines of a module of kernels.
LINES = 400
#: Buffers of a kernel that is not given them one by one.
WIDE = 32

_HEAD = re.compile(r"define (?:internal )?(\w+) @(\w+)\((.*?)\)", re.DOTALL)
_NAME = re.compile(r"@(\w+)")

#: Begins to compile a text; what it returns waits for the machine code.
Compiler = Callable[[str, Effort], Callable[[], Code]]


class Kernels:
    """A program's kernels, and the names that their texts are given, by the text of a function but for its
    name.

    `module` is what all functions of the program share; `compile` begins to compile a module. `apart` says
    whether kernels have modules of their own.
    """

    #: Kernels that differ in sizes and numbers alone of which one is made that is told them.
    ALIKE = 3
    #: The same of long ones, for which LLVM takes longer than for all others.
    ALIKE_LONG = 2

    def __init__(self, module: Module, compile: Compiler) -> None:
        self.module = module
        self.names: dict[str, str] = {}
        self.apart = False
        self.compile = compile
        self._gathered: list[str] = []
        self._lines = 0
        self._compiling: list[Callable[[], Code]] = []
        #: Kernels that wait for others that are like them, by what they have in common; the first of a kind
        #: is compiled at once.
        self._waiting: dict[str, dict[str, None]] = {}
        self._general: dict[str, General] = {}

    def expect(self, text: str) -> None:
        """Take note of a kernel that will be called."""
        if text in self.names:
            return
        if (kind := pattern(text)) in self._waiting:
            self._waiting[kind][text] = None
        else:
            self._waiting[kind] = {}
            self.name(text)

    def wait(self, text: str) -> None:
        """Take note of a routine, which is compiled when all are known: two Fourier transforms of one length
        differ in their rows, and take LLVM 0.3 s each.
        """
        if text.count("\n") >= LINES:
            self._waiting.setdefault(pattern(text), {})[text] = None

    def called(self, text: str) -> tuple[str, str]:
        """Return the name of the function that does what a text says, and the sizes that it is given."""
        for alike in self._waiting.values():
            lines = max((text.count("\n") for text in alike), default=0)
            if len(alike) >= (self.ALIKE if lines < LINES else self.ALIKE_LONG):
                self._general.update(dict.fromkeys(alike, General(list(alike))))
        self._waiting.clear()
        if (general := self._general.get(text)) is None:
            return self.name(text), ""
        return self.name(general.text), general.sizes(text)

    def name(self, text: str, prefix: str = "kernel") -> str:
        """Return the name of a function of this text."""
        if (name := self.names.get(text)) is None:
            name = self.names[text] = f"{prefix}{len(self.names)}"
            straight = self._straight(text) if self.apart and text.count("\n") >= LINES else None
            if straight is not None:
                self._begin([written(straight, name)], HASTY)
            elif self.apart:
                self._gathered.append(written(text, name))
                self._lines += text.count("\n")
                if self._lines >= LINES:
                    self._hand_over(())
        return name

    def _straight(self, text: str) -> str | None:
        """Return a text that says what to do as it stands, and gains little from passes."""
        return text if is_endless(text, LINES) else widened(text, self.module)

    def _hand_over(self, others: Iterable[str]) -> None:
        """Have the kernels that have gathered compiled, with some other functions."""
        self._begin([*self._gathered, *others], LOOPS)
        self._gathered, self._lines = [], 0

    def _begin(self, texts: Sequence[str], effort: Effort) -> None:
        self._compiling.append(self.compile(self._module(texts), effort))

    def _module(self, texts: Iterable[str]) -> str:
        return engine.whole(self.module.declarations.values(), functions.declarations(self.module), texts)

    def compiled(self, loops: Sequence[str], calls: Sequence[str]) -> Code:
        """Return the machine code of the kernels, of functions with loops, and of what calls all these."""
        loops, calls = [_public(t) for t in loops], [_public(t) for t in calls]
        declared = _declarations([*(written(t, n) for t, n in self.names.items()), *loops, *calls])
        if self._gathered or loops:
            own = [*self._gathered, *loops]
            self._hand_over([*loops, *_needed(own, declared)])
        self._begin([*calls, *_needed(calls, declared)], HASTY)
        return self._joined()

    def beside(self, whole: Callable[[Sequence[str]], str], effort: Effort, filling: Sequence[str]) -> Code:
        """Return the machine code of one module, which ``whole(others)`` writes with other functions, and of
        functions that only fill tables: passes took 6 ms for each, and in haste it takes 1.
        """
        filling = [_public(t) for t in filling]
        self._compiling.append(self.compile(whole(list(_declarations(filling).values())), effort))
        if filling:
            self._begin(filling, HASTY)
        return self._joined()

    def _joined(self) -> Code:
        """Return the machine code of all modules."""
        parts = [result() for result in self._compiling]
        called = sorted({symbol for part in parts for symbol in part.called})
        return Code(tuple(o for part in parts for o in part.objects), tuple(called))

    def whole(self, others: Iterable[str], inlined: Callable[[str], bool]) -> str:
        """Return everything as one module; `inlined` says whether a kernel may be inlined."""
        return self._module(
            [*(written(t, n, "internal ", inlined(t)) for t, n in self.names.items()), *others]
        )


def written(text: str, name: str, linkage: str = "", inlined: bool = False) -> str:
    """Return a kernel with its name."""
    if not inlined:
        text = text.replace("nounwind #0 {", "nounwind noinline #0 {", 1)
    return f"define {linkage}void @{name}{text}"


def _public(text: str) -> str:
    """Return a function that other modules may call."""
    return text.replace("define internal ", "define ")


def _declarations(texts: Iterable[str]) -> dict[str, str]:
    """Return by the name of a function how other modules declare it."""
    found = {}
    for text in texts:
        for result, name, parameters in _HEAD.findall(text):
            types = ", ".join(p.split()[0] for p in parameters.split(",") if p.strip())
            found[name] = f"declare {result} @{name}({types})"
    return found


def _needed(texts: Sequence[str], declared: dict[str, str]) -> list[str]:
    """Return the declarations of the functions that a module calls and does not hold."""
    own = {name for text in texts for _, name, _ in _HEAD.findall(text)}
    used = dict.fromkeys(name for text in texts for name in _NAME.findall(text))
    return [declared[name] for name in used if name in declared and name not in own]
