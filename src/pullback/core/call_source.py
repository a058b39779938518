"""Write the Python source of an op's call: one template for any number of inputs.

The source depends only on the facts of a declaration that are in `Facts`; ops that agree in them share one
code object. What the source does not say (the kernel, the class of nodes) it finds among the globals that
`calls` gives each function. A call written here

1. takes facade tensors around arrays, Python numbers where the op does, and nothing (None) for an input that
   may be left out; anything else goes to `value.run`, or to `public_call` where users call;
2. computes: by the kernel at once for the dtypes in `fast`, by `Op.evaluate` for the others;
3. makes the result, a view's with its record;
4. makes the node, which saves what the rules of those inputs ask for that require a covector.
"""

from collections.abc import Sequence

from ..array.named_tuples import NamedTuple


class Saved(NamedTuple):
    """Describe one value of a node's saved tuple."""

    source: int  # which input, or ``~k`` for output k
    wanted: tuple[int, ...]  # the inputs whose rules ask for it; empty where it is saved always


class Facts(NamedTuple):
    """Hold what the source of a call depends on.

    `place` says how the result is laid out: "" as it is, "first" by the first operand (see `layout.placed`),
    "format" by the memory format of the first operand, "any" by a function that looks for itself.
    """

    inputs: tuple[str, ...]
    outputs: int
    carried: tuple[int, ...]  # which outputs carry gradients
    attrs: int  # how many attributes there are
    public: bool
    derivable: bool
    view: bool
    elementwise: bool
    ufunc: bool
    numbers: bool  # whether the second input may be a Python number
    optional: bool  # whether inputs may be None
    agree: bool  # whether the kernel runs at once only where all arrays have one dtype
    direct: bool  # whether the kernel ever runs at once on tensors
    floats: bool  # whether it takes float32 and float64
    on_arrays: bool  # the same, on the bare arrays of rules
    place: str
    saved: tuple[Saved, ...]
    metadata: tuple[int, ...]  # the inputs whose shapes are saved
    small: bool  # whether a native function may do small operands (`array.elementwise_calls`)


#: Asks for a mode that a call which is written here does not know.
OTHER_MODE = "mode is not DEFAULT and mode is not NO_GRAD and mode is not INFERENCE"

#: A number as a scalar of the dtype `d`, as NumPy would read it.
SCALAR = "(singles[{0}] if d is F32 else doubles[{0}] if d is F64 else {0})"


def source_of(facts: Facts) -> str:
    """Return the source of ``call``."""
    lines = [f"def call({_parameters(facts)}):", *("    " + line for line in _body(facts))]
    return "\n".join(lines) + "\n"


def _parameters(facts: Facts) -> str:
    if facts.public:
        return ", ".join([*(f"{name}=ABSENT" for name in facts.inputs), "*surplus", "**named"])
    required, optional = facts.inputs[:1], facts.inputs[1:]
    default = "=None" if facts.optional else ""
    return ", ".join([*required, *(name + default for name in optional), *["*attrs"] * bool(facts.attrs)])


def _tuple(parts: list[str]) -> str:
    return f"({', '.join(parts)}{',' * (len(parts) == 1)})"


def _body(facts: Facts) -> list[str]:
    return [
        *_taken(facts), *_computed(facts), *(_view(facts) if facts.view else _fresh(facts)), *_node(facts)
    ]  # fmt: skip


# --- the arguments ------------------------------------------------------------------------------------------


def _elsewhere(facts: Facts) -> str:
    """Return the statement that hands a call on."""
    if facts.public:
        return f"return public_call(op, ({', '.join(facts.inputs)}, *surplus), named, method)"
    return f"return run(op, {_tuple(list(facts.inputs))}, {'attrs' if facts.attrs else '()'})"


def _taken(facts: Facts) -> list[str]:
    """Return the arrays ``a0``, …, the modes, and the nodes ``n0``, … that lead to the inputs."""
    elsewhere, first = _elsewhere(facts), facts.inputs[0]
    lines = [
        f"t = type({first})",
        "if t is not Tensor and t is not Parameter:",
        *("    " + line for line in _arrays(facts)),
        f"    {elsewhere}",
        "mode = modes()",
        f"if {OTHER_MODE}" + " or surplus or named" * facts.public + ":",
        f"    {elsewhere}",
    ]
    if facts.small:
        lines += [*_small(facts, "y", facts.inputs), "if y is not None:", "    if mode is INFERENCE:"]
        lines += ["        y._counter = no_versions()", "    return y"]
    for k, name in enumerate(facts.inputs):
        stale = f"if {name}._view is not None and mode is not INFERENCE:"
        tensor = [stale, f"    bring_up_to_date({name})"] * facts.derivable
        tensor += [f"a{k} = {name}._value", f"if type(a{k}) is not ndarray:", f"    {elsewhere}"]
        if facts.derivable:
            tensor.append(f"n{k} = {name}._node")
        if k == 0:
            lines += tensor
            continue
        lines += [f"t = type({name})", "if t is Tensor or t is Parameter:", *("    " + t for t in tensor)]
        other = [f"a{k} = {name}", *[f"n{k} = None"] * facts.derivable]
        if facts.numbers:
            taken = f"t is float or (t is int and LEAST <= {name} <= MOST) or t is complex"
            lines += [f"elif {taken}:", *("    " + t for t in other)]
        if facts.optional:
            lines += [f"elif {name} is None:", *("    " + t for t in other)]
        lines += ["else:", f"    {elsewhere}"]
    return lines


def _small(facts: Facts, result: str, operands: Sequence[str]) -> list[str]:
    """Return the call of the native function of small operands, which gives None for others."""
    if not facts.attrs:
        return [f"{result} = small({', '.join(operands)})"]
    return [
        "try:",
        "    found = compiled.get(attrs if 0 not in attrs else repr(attrs))",
        "    if found is None:",
        "        found = find(attrs)",
        f"    {result} = found({', '.join(operands)})",
        "except (TypeError, ValueError):  # an attribute that is no key",
        f"    {result} = None",
    ]


def _arrays(facts: Facts) -> list[str]:
    """Return what rules of a plain backward call the op with: bare arrays, numbers and gaps."""
    if facts.public:
        return []
    first, *others = facts.inputs
    attrs = "attrs" if facts.attrs else "()"
    evaluated = f"return op.evaluate({_tuple(list(facts.inputs))}, {attrs})"
    lines = ["if t is ndarray:"]
    if facts.view and facts.on_arrays:
        return [*lines, f"    return {_viewed(first, facts)}"]
    if facts.small:
        lines += ["    " + line for line in _small(facts, "y", facts.inputs)]
        lines += ["    if y is not None:", "        return y"]
    if facts.on_arrays:
        plain = f"((d := {first}.dtype) is F32 or d is F64)"
        kernel = f"return {_kernel(facts, ', '.join(facts.inputs))}"
        if facts.elementwise:
            plain += f" and {first}.size < PARALLEL_SIZE"
        if others and facts.ufunc:
            scalar = SCALAR.format(others[0])
            lines += [
                f"    s = type({others[0]})",
                f"    if {plain}:",
                f"        if s is ndarray and {others[0]}.dtype is d:",
                f"            {kernel}",
                "        if s is float or s is int:",
                f"            return kernel({first}, {scalar}, out=...)",
            ]
        else:
            for name in others:
                number = " or s is float or s is int" * facts.elementwise
                plain += f" and (((s := type({name})) is ndarray and {name}.dtype is d){number})"
            lines += [f"    if {plain}:", f"        {kernel}"]
    elif facts.direct and facts.outputs == 1 and (facts.elementwise or not facts.place):
        lines += ["    " + line for line in _kernel_on_arrays(facts)]
    if not others:
        lines.append(f"    {evaluated}")
        if facts.ufunc and not facts.attrs:
            lines += ["if t is float32 or t is float64:", f"    return kernel({first})"]
        return lines
    bare = " and ".join(
        f"((s := type({name})) is ndarray or s is float or s is int or {name} is None)" for name in others
    )
    return [*lines, f"    if {bare}:", f"        {evaluated}"]


def _kernel_on_arrays(facts: Facts) -> list[str]:
    """Return the call of the kernel on bare arrays that it takes as they are, in C order where results are
    laid out by them: `Op.evaluate` costs 1 µs more.
    """
    first, *others = facts.inputs
    takes = f"(d := {first}.dtype) in fast"
    if facts.place:
        takes += f" and {first}.flags.c_contiguous"
    if facts.ufunc:
        takes += f" and {first}.size < PARALLEL_SIZE"
    for name in others:
        fits = f"{name}.dtype is d" if facts.agree else f"{name}.dtype in fast"
        if facts.place:
            fits += f" and {name}.flags.c_contiguous"
        number = "" if facts.agree else " or s is float or s is int"
        gap = f" or {name} is None" * facts.optional
        takes += f" and (({fits}) if (s := type({name})) is ndarray else (False{number}{gap}))"
    return [
        f"if {takes}:",
        "    token = quiet(IGNORE)",
        "    try:",
        f"        return {_kernel(facts, ', '.join(facts.inputs))}",
        "    except (ValueError, TypeError) as error:",
        f"        raise op.failed(error, {_tuple(list(facts.inputs))}) from error.__cause__",
        "    finally:",
        "        loud(token)",
    ]


def _viewed(array: str, facts: Facts) -> str:
    """Return the view of an array."""
    return _kernel(facts, f"{array} if {array}.size else settled({array})")


def _kernel(facts: Facts, given: str) -> str:
    """Return the call of the kernel on some arrays."""
    out = ", out=..." * (facts.elementwise and not facts.view)
    if not facts.attrs:
        return f"kernel({given}{out})"
    # To hand on a tuple's elements by a star takes 0.1 µs more.
    each = "".join(f", attrs[{k}]" for k in range(facts.attrs))
    return f"(kernel({given}{each}{out}) if len(attrs) == {facts.attrs} else kernel({given}, *attrs{out}))"


# --- the result ---------------------------------------------------------------------------------------------


def _computed(facts: Facts) -> list[str]:
    """Return ``r``, what the kernel makes of the arrays, laid out."""
    count = len(facts.inputs)
    arrays = [f"a{k}" for k in range(count)]
    attrs = "attrs" if facts.attrs else "()"
    given = ", ".join(arrays)
    if facts.view:
        return [f"r = {_viewed('a0', facts)}"]
    evaluated = f"r = op.evaluate({_tuple(arrays)}, {attrs})"
    if not facts.direct:
        return [evaluated]
    fast = "((d := a0.dtype) is F32 or d is F64 or d in fast)" if facts.floats else "(d := a0.dtype) in fast"
    for k in range(1, count):
        own = f"a{k}.dtype in fast"
        if facts.floats:
            own = f"((e := a{k}.dtype) is F32 or e is F64 or e in fast)"
        tests = [f"a{k}.dtype is d" if facts.agree else own]
        if facts.numbers:
            taken = f"d is I64 and type(a{k}) is int"
            if facts.floats:
                taken = f"(d is F32 or d is F64 or ({taken})) and t is not complex or d.kind == 'c'"
            tests = [f"a{k}.dtype is d if type(a{k}) is ndarray else {taken}"]
        if facts.optional:
            tests.insert(0, f"a{k} is None")
        fast += f" and ({' or '.join(tests)})"
    scalars = facts.ufunc and facts.numbers and facts.floats
    passed = "a0, k1" if scalars else given
    kernel = _kernel(facts, passed)
    lines = [*_small(facts, "r", arrays), "if r is not None:", "    pass"] if facts.small else []
    lines.append(f"{'el' * facts.small}if {fast}:")
    if facts.place and facts.outputs == 1 and facts.place != "format" and (facts.elementwise or count == 1):
        lines.append("    in_order = a0.flags.c_contiguous")
    lines += ["    token = quiet(IGNORE)", "    try:"]
    if scalars:
        lines.append(f"        k1 = a1 if type(a1) is ndarray else {SCALAR.format('a1')}")
    if facts.ufunc and not facts.attrs:
        large = "a0.size >= PARALLEL_SIZE"
        for k in range(1, count):
            large += f" or (type(a{k}) is ndarray and a{k}.shape != a0.shape)"
        lines += [f"        if {large}:", f"            r = parallel(kernel, {given})"]
        if facts.place == "first" and count == 2:
            # Where `place` would have it: to move it takes 3.4 µs.
            lines += [
                "        elif not in_order and a0.flags.f_contiguous:",
                f"            r = kernel({passed}, order='F')",
            ]
        lines += ["        else:", f"            r = {kernel}"]
    else:
        lines.append(f"        r = {kernel}")
    lines += [
        "    except (ValueError, TypeError, OverflowError) as error:",
        f"        raise op.failed(error, {_tuple(arrays)})",
        "    finally:",
        "        loud(token)",
        *("    " + line for line in _laid_out(facts, arrays)),
        "else:",
        f"    {evaluated}",
    ]
    return lines


def _laid_out(facts: Facts, arrays: list[str]) -> list[str]:
    if not facts.place:
        return []
    operands = _tuple(arrays)
    if facts.outputs > 1:
        return [f"r = tuple([place(part, {operands}) for part in r])"]
    placed = f"r = place(r, {operands})"
    if facts.place == "format" or (len(arrays) > 1 and not facts.elementwise):
        return [placed]
    wrong = "not in_order"
    if len(arrays) > 1:
        wrong = f"({wrong} or a0.size != r.size)"
    elif facts.attrs:
        wrong = f"({wrong} or not a0.size)"
    if facts.place == "first" and facts.elementwise:
        wrong += " and not (a0.strides == r.strides and a0.shape == r.shape)"
    return [f"if {wrong}:", f"    {placed}"]


def _view(facts: Facts) -> list[str]:
    attrs = "attrs" if facts.attrs else "()"
    return [
        "y = new(Tensor)",
        "y._value = r",
        f"y._counter = version = {facts.inputs[0]}._counter",
        # What `View.of` does with a base in memory: 0.2 µs less.
        f"if {facts.inputs[0]}._view is None and mode is not INFERENCE and type(version) is list:",
        "    y._view = record = new(View)",
        f"    record.base = {facts.inputs[0]}",
        f"    record.chain = (None, (op, {attrs}, None))",
        "    record.creation = 0 if mode is DEFAULT else NO_GRAD_VIEW",
        "    record.at = version[0]",
        "else:",
        f"    y._view = view_of({facts.inputs[0]}, op, {attrs}, None, mode)",
    ]


def _fresh(facts: Facts) -> list[str]:
    if facts.outputs == 1:
        return ["y = new(Tensor)", "y._value = r", "y._counter = version = [0]", "y._view = None"]
    lines = [f"{', '.join(f'r{k}' for k in range(facts.outputs))} = r"]
    for k in range(facts.outputs):
        lines += [
            f"y{k} = new(Tensor)", f"y{k}._value = r{k}", f"y{k}._counter = [0]", f"y{k}._view = None",
            f"y{k}._node = None",
        ]  # fmt: skip
    return lines


# --- the node -----------------------------------------------------------------------------------------------


def _node(facts: Facts) -> list[str]:
    """Return the node behind the result; none where nothing leads to the inputs or nothing is recorded."""
    several = facts.outputs > 1
    result = _tuple([f"y{k}" for k in range(facts.outputs)]) if several else "y"
    absent = [] if several else ["y._node = None"]
    made = [f"y{k}" for k in range(facts.outputs)] if several else ["y"]
    absent += ["if mode is INFERENCE:", *(f"    {y}._counter = no_versions()" for y in made)]
    if facts.view:
        absent = [f"y._node = None if {facts.inputs[0]}._node is None else unrecorded({facts.inputs[0]}, r)"]
    if not facts.derivable:
        return [*absent, f"return {result}"]
    count = len(facts.inputs)
    nowhere = " and ".join(f"n{k} is None" for k in range(count))
    first = f"r{facts.carried[0]}" if several else "r"
    carries = f"(e := {first}.dtype) is not F32 and e not in DIFFERENTIABLE"
    lines = [
        f"if ({nowhere}) or mode is not DEFAULT or ({carries}):",
        *("    " + line for line in absent),
        f"    return {result}",
        "n = new(node_class)",
    ]
    for k, name in enumerate(facts.inputs):
        lines += [f"if n{k} is LEAF:", f"    n{k} = accumulator({name})"]
    lines += [f"n._edges = {_tuple([f'n{k}' for k in range(count)])}", *_saved(facts)]
    if several and len(facts.carried) > 1:
        lines += [
            f"n._shape = {_tuple([f'r{k}.shape' for k in facts.carried])}",
            f"n._dtype = {_tuple([f'r{k}.dtype' for k in facts.carried])}",
            *(f"y{k}._node = Output(n, {at})" for at, k in enumerate(facts.carried)),
        ]
    else:
        y = f"y{facts.carried[0]}" if several else "y"
        lines += [f"{y}._node = n", f"n._shape = {first}.shape", "n._dtype = e"]
    return [
        *lines,
        "n._hooks = None",
        "n._seq = next_sequence()",
        "frame = calling_frame(1)",
        "code = frame.f_code",
        "if own_file[code.co_filename]:",
        "    frame = outer_frame(frame)",
        "    code = frame.f_code",
        "n._code = code",
        "n._at = frame.f_lasti",
        f"return {result}",
    ]


def _saved(facts: Facts) -> list[str]:
    """Return the statement that gives the node what it saves."""
    lines = []
    sums: list[str] = []
    plain: list[str] = []

    def flush() -> None:
        if plain:
            sums.append(_tuple(plain.copy()))
            plain.clear()

    for source, wanted in facts.saved:
        if source < 0:
            several = (f"r{~source}", f"y{~source}._counter", "0")
            triple = several if facts.outputs > 1 else ("r", "version", "version[0]")
        elif source and (facts.numbers or facts.optional):
            name = facts.inputs[source]
            lines += [f"c{source} = {name}._counter if type(a{source}) is ndarray else FROZEN"]
            triple = (f"a{source}", f"c{source}", f"c{source}[0]")
        else:
            name = facts.inputs[source]
            triple = (f"a{source}", f"(v := {name}._counter)", "v[0]")
        if wanted:
            flush()
            asked = " or ".join(f"n{k} is not None" for k in wanted)
            sums.append(f"(({', '.join(triple)}) if {asked} else NOTHING)")
        else:
            plain += triple
    for k in facts.metadata:
        gap = f"() if a{k} is None else " if k and facts.optional else ""
        plain.append(f"({gap}a{k}.shape)")
    if facts.attrs and plain:
        plain.append("*attrs")
    elif facts.attrs:
        flush()
        sums.append("attrs")
    flush()
    return [*lines, f"n._saved = {' + '.join(sums) or '()'}"]
