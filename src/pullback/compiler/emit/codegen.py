"""Machine code from LLVM's text, by llvmlite.

This file is also the program of the processes that compile while Python goes on (see `helpers`). They run it
as it lies, by itself: it imports nothing but the standard library and llvmlite, so that a process begins in a
tenth of a second.
"""

import functools
import json
import os
import re
import sys
from typing import IO, Any, NamedTuple

#: Lines of a text whose loops' bodies are not vectorised as straight code: that takes as long as all else.
LONG = 2000
#: Lines of blocks on the average from which straight code is not vectorised: the time that this takes grows
#: with the square of a block's length, and code so long is irregular. 2,500 irregular ops took 4.7 s, without
#: 1.0, and later calls as long (7.3 µs); 1,000 with their gradient 2.7 and 1.3.
BLOCK = 500
#: Lines of straight code from which it is compiled as it stands, more or less: passes and the search for the
#: best order of instructions find next to nothing in it, and take twice the time. Where it has no loops
#: either, it is compiled in haste: 5,000 irregular ops on numbers and their gradient in 0.46 s instead of
#: 1.87, and a call takes 37 µs instead of 32.
ENDLESS = 6000
#: Calls of mathematical functions.
_CALLS = re.compile(r"call [^@\n]*@(pullback_\w+_(?:float|double)(?:_\d+)?)\(")
#: Versions of LLVM of which it is known that they can leave out loop strength reduction: others may end the
#: process when they do not know an option.
_CHOOSES = range(14, 23)
#: What is left out where addresses are computed as they are written: the search for others, in loops and
#: before instructions are chosen, and a second look at their order. The last two were a fifth of the code
#: generator's time for convolutions, of which 7 rows' steps take 0.96 to 1.006 without them.
_SKIPPED = "-disable-lsr", "-disable-cgp", "-disable-post-ra"
#: The level of passes and of the code generator.
SPEED = 3


class Effort(NamedTuple):
    """Hold what a text is worth."""

    #: Run LLVM's passes. Text that is written as the processor wants it gains nothing from them and is
    #: compiled in a third of the time without.
    passes: bool = True
    #: It has long stretches without loops, which are worth the time that their vectoriser takes.
    straight: bool = True
    #: Generate code line by line, in a sixth of the time: for what runs rarely, or calls what takes long.
    hasty: bool = False
    reduces: bool = True  # look for fewer ways to compute addresses, in a third of the code generator's time


#: Text that is written as the processor wants it; loops; what runs rarely.
WRITTEN, LOOPS, HASTY = Effort(passes=False), Effort(straight=False), Effort(passes=False, hasty=True)
#: Written, with many places at fixed distances from few: 55 kernels of convolutions took 0.5 % longer so than
#: where addresses are looked at (0.89 to 1.07, median 1.01, one thread, in turns). Products of float32, of
#: which the code takes 47 ms in place of 106, take as long (0.985 to 1.006, 8 shapes), those of float64 up to
#: 1.15.
PLACED = WRITTEN._replace(reduces=False)


class Code(NamedTuple):
    """Machine code."""

    objects: tuple[bytes, ...]  # object files in memory, one for each module
    called: tuple[str, ...]  # the mathematical functions that the optimised modules call


#: Of a program without native code.
NOTHING = Code((), ())


@functools.cache
def processor() -> tuple[str, str]:
    """Return its name and features; a helper may be told them."""
    if __name__ == "__main__" and sys.argv[2]:
        return sys.argv[2], sys.argv[3]
    import llvmlite.binding as llvm

    return llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten()


def surroundings() -> tuple[str, str, str]:
    """Return the processor's name and features, and LLVM's version and the system that it compiles for."""
    import llvmlite.binding as llvm

    return *processor(), f"{llvm.llvm_version_info} {llvm.get_default_triple()}"


def machine(level: int = SPEED) -> Any:
    """Return a target machine: this processor, with all that it has; `level` is the code generator's."""
    import llvmlite.binding as llvm

    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    name, features = processor()
    return llvm.Target.from_default_triple().create_target_machine(
        cpu=name, features=features, opt=level, jit=True, codemodel="jitdefault"
    )


#: The machine that optimises; an engine takes over one of its own.
target = functools.cache(machine)


def is_endless(text: str, least: int) -> bool:
    """Return whether a text is at least so many lines of straight code, and has no loops."""
    return text.count("\n") >= least and "\n  br " not in text


def compiled(text: str, effort: Effort) -> Code:
    """Compile a module's text."""
    if effort.straight and effort.passes and is_endless(text, ENDLESS):
        effort = HASTY
    made = module(text, effort)
    # The vectoriser chooses which it calls, of those that are declared; printing takes a fortieth of all.
    written = str(made) if effort.passes and _CALLS.search(text) else text
    called = sorted(set(_CALLS.findall(written)))
    level = 0 if effort.hasty else _level(text, effort)
    return Code((_emitted(made, level, effort.reduces),), tuple(called))


def _emitted(made: object, level: int, reduces: bool) -> bytes:
    """Return machine code; unless `reduces`, addresses are computed as they are written.

    LLVM knows one setting for all threads. Another one that compiles meanwhile gets the same numbers.
    """
    import llvmlite.binding as llvm

    if reduces or llvm.llvm_version_info[0] not in _CHOOSES:
        return bytes(target(level).emit_object(made))
    try:
        for name in _SKIPPED:
            llvm.set_option("pullback", f"{name}=true")
        return bytes(target(level).emit_object(made))
    finally:
        for name in _SKIPPED:
            llvm.set_option("pullback", f"{name}=false")


def _level(text: str, effort: Effort) -> int:
    return 1 if effort.straight and text.count("\n") > ENDLESS else SPEED


def _gains(text: str, effort: Effort) -> bool:
    """Return whether the vectoriser of straight code is worth its time."""
    lines, blocks = text.count("\n"), text.count("\n  br ") + text.count("define ")
    return (effort.straight or lines < LONG) and lines < BLOCK * blocks


def module(text: str, effort: Effort) -> Any:
    """Return a module after LLVM's passes."""
    import llvmlite.binding as llvm

    maker = target()
    made = llvm.parse_assembly(text)
    made.triple = maker.triple
    made.data_layout = str(maker.target_data)
    made.verify()
    if effort.passes:
        level = _level(text, effort)
        options = llvm.create_pipeline_tuning_options(speed_level=level)
        options.loop_vectorization = True
        options.slp_vectorization = level == SPEED and _gains(text, effort)
        builder = llvm.create_pass_builder(maker, options)
        builder.getModulePassManager().run(made, builder)
        if " alwaysinline " in text:
            # Functions of vectors, which are called since loops are vectorised.
            inliner = llvm.create_new_module_pass_manager()
            inliner.add_always_inliner_pass()
            inliner.run(made, builder)
    return made


def send(stream: IO[bytes], head: object, content: bytes) -> None:
    """Send a head of JSON's kinds and bytes to another process."""
    about = json.dumps(head).encode()
    stream.write(len(about).to_bytes(8, "little") + len(content).to_bytes(8, "little") + about + content)
    stream.flush()


def receive(stream: IO[bytes]) -> tuple[Any, bytes]:
    """Return what another process sent, or raise an EOFError where it has ended."""
    sizes = _exactly(stream, 16)
    about = _exactly(stream, int.from_bytes(sizes[:8], "little"))
    return json.loads(about), _exactly(stream, int.from_bytes(sizes[8:], "little"))


def _exactly(stream: IO[bytes], size: int) -> bytes:
    if len(data := stream.read(size)) < size:
        raise EOFError("the other process has ended")
    return data


def _cache() -> Any:
    """Return the module `runtime.cache`, which runs by itself, too."""
    from importlib.util import module_from_spec, spec_from_file_location

    place = os.path.join(os.path.dirname(os.path.dirname(__file__)), "runtime", "cache.py")
    about: Any = spec_from_file_location("cache", place)
    if (found := sys.modules.get("cache")) is None:
        found = sys.modules["cache"] = module_from_spec(about)
        about.loader.exec_module(found)
    return found


def serve() -> None:
    """Compile what comes in, until nothing comes any more, and keep what has a name in the cache; who tells
    no effort asks for the `surroundings`. A text that cannot be compiled ends the process:
    who asked compiles it again, and gets the error.
    """
    while True:
        try:
            (effort, name), text = receive(sys.stdin.buffer)
        except EOFError:
            return
        code = Code((b"",), surroundings()) if effort is None else compiled(text.decode(), Effort(*effort))
        if name:
            _cache().write(name, code.called, code.objects[0])
        send(sys.stdout.buffer, code.called, code.objects[0])


def _fork(pairs: list[int]) -> None:
    """Begin a process for each pair of descriptors: it reads from the one and writes to the other."""
    while pairs:
        source, sink, *pairs = pairs
        used = [source, sink]
        if not os.fork():
            # Linux gives sessions equal shares of a busy machine.
            os.setsid()
            os.dup2(source, 0)
            os.dup2(sink, 1)
            # What is held open here would not come to its end elsewhere.
            used, pairs = used + pairs, []
        for descriptor in used:
            os.close(descriptor)


if __name__ == "__main__":
    sys.path.append(sys.argv[1])
    target()
    _fork([*map(int, sys.argv[4:])])
    serve()
