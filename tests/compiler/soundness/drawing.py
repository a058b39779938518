"""Draw programs whose state changes: classes, closures, modules, containers, optimizers, as source text.

A *feature* makes some state and says how programs use it: as numbers, tensors, flags, lists or functions of
a tensor. Later features use what earlier ones made, so that a value is found by way of methods that call
functions that read dicts. Changes between calls are drawn from what each feature allows.
"""

from __future__ import annotations

import random
from collections.abc import Callable

from .programs import Program

CALLS = 5
#: Share of statements whose effects no compiler need know.
UNKNOWN = 0.02
_NUMBERS = ("0.5", "1.5", "2.0", "-1.0", "0.25", "3.0", "0.0", "-0.0", "2", "True", "1", "1.0")


class Drawing:
    """A program in the making.

    Attributes
    ----------
    numbers, tensors, flags, lists, calls : list of str
        Expressions that later text may use; tensors have three elements.
    written, rebound : list of str
        Tensors that may be written in place; places of tensors that may get others.
    assigned : list of str
        Places of numbers that calls may change.
    changes : list of callable
        Each draws a text that changes some state.
    plain : bool
        Whether nothing in it is unknown to a compiler.
    """

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.seed = seed
        self.lines: list[str] = []
        self.numbers: list[str] = []
        self.tensors: list[str] = []
        self.flags: list[str] = []
        self.lists: list[str] = []
        self.calls: list[str] = []
        self.written: list[str] = []
        self.layers: list[str] = []
        self.objects: list[str] = []
        self.assigned: list[str] = []
        self.rebound: list[str] = []
        self.watched: list[str] = []
        self.changes: list[Callable[[], str]] = []
        self.plain = True

    # Choices.

    def one(self, *choices: str) -> str:
        return self.random.choice(choices)

    def value(self) -> str:
        return self.one(*_NUMBERS)

    def number(self) -> str:
        return self.one(*self.numbers) if self.numbers and self.random.random() < 0.8 else self.value()

    def flag(self) -> str:
        if self.flags and self.random.random() < 0.7:
            return self.one(*self.flags)
        return f"{self.number()} > {self.value()}"

    def made(self) -> str:
        """A tensor made anew."""
        return self.one("torch.ones(3)", "torch.arange(3.0)", f"torch.full((3,), float({self.value()}))",
                        "torch.tensor([0.5, -1.0, 2.0])")  # fmt: skip

    def tensor(self) -> str:
        return self.one(*self.tensors) if self.tensors else self.made()

    def expression(self, x: str, depth: int = 0) -> str:
        """A tensor of three elements, made of the one in `x`."""
        if depth < 2 and self.random.random() < 0.25:
            x = f"({self.expression(x, depth + 1)})"
        forms = [
            lambda: f"{x} * {self.number()}", lambda: f"{x} + {self.tensor()}",
            lambda: f"{x} - {self.number()}", lambda: f"{x} * {self.tensor()}",
            lambda: f"torch.tanh({x})", lambda: f"({x} + {self.tensor()}).relu()",
            lambda: f"torch.where({self.tensor()} > {self.number()}, {x}, {self.tensor()})",
            lambda: f"torch.stack([{x}, {self.tensor()}]).mean(0)", lambda: f"{x}.roll(1) * 0.5",
            lambda: f"({x} if {self.flag()} else {x} * {self.number()})",
        ]  # fmt: skip
        forms += [lambda: f"{self.one(*self.calls)}({x})"] * (6 if self.calls else 0)
        if self.random.random() < 0.06:
            forms = [lambda: f"{x} + torch.rand(3)", lambda: f"F.dropout({x}, 0.5, training={self.flag()})"]
        return self.random.choice(forms)()

    # Features.

    def feature_global(self, n: int) -> None:
        kind = self.random.randrange(3)
        if kind == 0:
            self.lines.append(f"k{n} = {self.value()}")
            self.numbers.append(f"k{n}")
            self.changes.append(lambda: f"k{n} = {self.value()}")
            self.watched.append(f"k{n}")
        elif kind == 1:
            self.lines.append(f"on{n} = {self.one('True', 'False')}")
            self.flags.append(f"on{n}")
            self.changes.append(lambda: f"on{n} = not on{n}")
        else:
            self.lines.append(f"mode{n} = 'a'")
            self.flags.append(f"mode{n} == 'a'")
            self.changes.append(lambda: f"mode{n} = {self.one(repr('a'), repr('b'))}")

    def feature_tensor(self, n: int) -> None:
        self.lines.append(f"t{n} = {self.made()}")
        self._tensor(f"t{n}")
        if self.tensors and self.random.random() < 0.2:
            self.lines.append(f"u{n} = {self.one(f't{n}', f't{n}.view(3)', f't{n}.detach()')}")
            self.tensors.append(f"u{n}")
            self.watched.append(f"u{n}")
            self.changes.append(lambda: f"u{n} = t{n}")

    def _tensor(self, name: str) -> None:
        self.tensors.append(name)
        self.written.append(name)
        self.watched.append(name)
        self.changes.append(lambda: self.one(
            f"{name} = {self.made()}", f"{name}.add_({self.value()})", f"{name}.data = {self.made()}",
            f"{name}[1] = {self.value()}",
        ))  # fmt: skip

    def feature_function(self, n: int) -> None:
        def text() -> str:
            return f"def f{n}(x, a={self.value()}): return {self.expression('x')} + a"

        self.lines.append(text())
        self.calls.append(f"f{n}")
        before = self._snapshot()
        self.changes += [
            lambda: f"f{n}.__defaults__ = ({self.value()},)",
            lambda: self._with(before, lambda: f"def f{n}(x, a=1.0): return {self.expression('x')} * a"),
        ]
        if self.random.random() < 0.3:
            self.lines.append(f"p{n} = functools.partial(f{n}, a={self.value()})")
            self.calls.append(f"p{n}")
            self.changes.append(lambda: f"p{n} = functools.partial(f{n}, a={self.value()})")

    def feature_closure(self, n: int) -> None:
        self.lines += [
            f"def make{n}(k, t):",
            f"    def f(x): return x * k + t + {self.number()}",
            "    def put(v):", "        nonlocal k", "        k = v",
            "    return f, put",
            f"c{n}, put{n} = make{n}({self.value()}, {self.tensor()})",
        ]  # fmt: skip
        self.calls.append(f"c{n}")
        self.changes += [
            lambda: f"put{n}({self.value()})",
            lambda: f"c{n}, put{n} = make{n}({self.value()}, {self.tensor()})",
        ]

    def feature_container(self, n: int) -> None:
        kind = self.random.randrange(6)
        if kind == 0:
            self.lines.append(f"l{n} = [{self.value()}, {self.value()}]")
            self.lists.append(f"l{n}")
            self.assigned.append(f"l{n}[0]")
            self.numbers += [f"l{n}[0]", f"len(l{n})", f"sum(l{n})", f"max(l{n})"]
            self.changes.append(lambda: self.one(
                f"l{n}.append({self.value()})", f"l{n}[0] = {self.value()}", f"l{n}.reverse()",
                f"l{n} = list(l{n})", f"l{n}.insert(0, {self.value()})",
            ))  # fmt: skip
            self.watched.append(f"l{n}")
        elif kind == 1:
            self.lines.append(f"d{n} = {{'a': {self.value()}, 'b': {self.value()}}}")
            self.lists.append(f"d{n}.values()")
            self.assigned.append(f"d{n}['a']")
            self.numbers += [f"d{n}['a']", f"d{n}.get('c', 2.0)", f"len(d{n})"]
            self.flags.append(f"'c' in d{n}")
            self.changes.append(lambda: self.one(
                f"d{n}['a'] = {self.value()}", f"d{n}['c'] = {self.value()}", f"d{n}.pop('c', None)",
                f"d{n}['a'] = d{n}.pop('a')", f"d{n} = dict(d{n}, b={self.value()})",
            ))  # fmt: skip
            self.watched.append(f"d{n}")
        elif kind == 2:
            self.lines.append(f"ts{n} = [{self.made()}, {self.made()}]")
            self.tensors += [f"ts{n}[0]", f"sum(ts{n})", f"torch.stack(ts{n}).sum(0)"]
            self.written.append(f"ts{n}[1]")
            self.rebound.append(f"ts{n}[0]")
            self.changes.append(lambda: self.one(
                f"ts{n}.append({self.made()})", f"ts{n}[0] = {self.made()}", f"ts{n}[0].mul_(2)",
                f"ts{n}[0] = ts{n}[1]", f"ts{n}.reverse()",
            ))  # fmt: skip
            self.watched.append(f"ts{n}")
        elif kind == 3:
            self.lines.append(f"td{n} = {{'w': {self.made()}, 'n': {{'k': {self.value()}}}}}")
            self.tensors.append(f"td{n}['w']")
            self.rebound.append(f"td{n}['w']")
            self.numbers.append(f"td{n}['n']['k']")
            self.changes.append(lambda: self.one(
                f"td{n}['w'] = {self.made()}", f"td{n}['n']['k'] = {self.value()}",
                f"td{n}['n'] = {{'k': {self.value()}}}", f"td{n}['w'].sub_(1)",
            ))  # fmt: skip
            self.watched.append(f"td{n}")
        elif kind == 4:
            self.lines += [
                f"P{n} = collections.namedtuple('P{n}', 'w k')",
                f"p{n} = P{n}({self.made()}, {self.value()})",
            ]  # fmt: skip
            self.tensors.append(f"p{n}.w")
            self.numbers.append(f"p{n}.k")
            self.changes.append(lambda: self.one(
                f"p{n} = p{n}._replace(k={self.value()})", f"p{n} = P{n}({self.made()}, {self.value()})",
                f"p{n}.w.add_(1)",
            ))  # fmt: skip
            self.watched.append(f"p{n}")
        else:
            self.lines += [
                "@dataclasses.dataclass", f"class D{n}:", "    w: object", f"    k: object = {self.value()}",
                f"q{n} = D{n}({self.made()})",
            ]  # fmt: skip
            self.tensors.append(f"q{n}.w")
            self.numbers.append(f"q{n}.k")
            self.changes.append(lambda: self.one(
                f"q{n}.k = {self.value()}", f"q{n}.w = {self.made()}", f"q{n} = D{n}({self.made()}, 2.0)",
            ))  # fmt: skip
            self.watched.append(f"q{n}")

    def feature_class(self, n: int) -> None:
        slots = self.random.random() < 0.25
        derived = self.random.random() < 0.5
        self.lines += [f"class A{n}:", *(["    __slots__ = ('k', 'w')"] if slots else [])]
        before = self._snapshot()
        inner = [*self.numbers]
        self.numbers += ["self.k", *([] if slots else [f"A{n}.c", "self.c"])]
        self.tensors.append("self.w")
        self.lines += [*([] if slots else [f"    c = {self.value()}"]),
                       f"    def f(self, x): return {self.expression('x')}",
                       "    @property",
                       f"    def double(self): return self.k * 2 + {self.number()}"]  # fmt: skip
        if derived:
            self.lines += [
                f"class B{n}(A{n}):", *(["    __slots__ = ()"] if slots else []),
                f"    def f(self, x): return super().f(x) + {self.expression('x')}",
            ]  # fmt: skip
        self._restore(before)
        self.numbers = inner
        o = f"o{n}"
        kind = f"{'B' if derived else 'A'}{n}"
        self.lines += [f"{o} = {kind}()", f"{o}.k = {self.value()}", f"{o}.w = {self.made()}"]
        self.numbers += [f"{o}.k", f"{o}.double"]
        self.tensors.append(f"{o}.w")
        self.written.append(f"{o}.w")
        self.assigned.append(f"{o}.k")
        self.calls.append(f"{o}.f")
        self.objects.append(o)
        self.watched.append(o)
        self.changes += [
            lambda: self.one(f"{o}.k = {self.value()}", f"{o}.w = {self.made()}", f"{o}.w.mul_(0.5)"),
            lambda: f"A{n}.f = lambda self, x: x * self.k",
            lambda: f"A{n}.double = property(lambda self: self.k * {self.value()})",
        ]
        if not slots:
            self.rebound.append(f"{o}.w")
            self.numbers += [f"{o}.c", f"getattr({o}, 'c')"]
            self.flags.append(f"hasattr({o}, 'extra')")
            self.changes += [
                lambda: self.one(f"A{n}.c = {self.value()}", f"{o}.c = {self.value()}", f"{o}.extra = 1"),
                lambda: f"{o}.f = lambda x: x * {self.value()}",
                lambda: f"{o}.__dict__.pop('c', None)",
            ]
            if derived:
                self.changes.append(lambda: self.one(f"{o}.__class__ = A{n}", f"B{n}.c = {self.value()}"))

    def feature_module(self, n: int) -> None:
        layer = self.one("nn.Linear(3, 3)", "nn.Sequential(nn.Linear(3, 3), nn.Tanh())",
                         "nn.Sequential(nn.Linear(3, 3), nn.Dropout(0.5))", "nn.LayerNorm(3)")  # fmt: skip
        inner = self.one("nn.Tanh()", "nn.Identity()", "nn.Linear(3, 3)")
        before = self._snapshot()
        self.numbers += ["self.scale", "len(self.layers)"]
        self.tensors += ["self.buffer", "self.weight"]
        self.flags.append("self.training")
        self.lines += [
            f"class M{n}(nn.Module):", "    def __init__(self):", "        super().__init__()",
            f"        self.layer = {layer}", "        self.weight = nn.Parameter(torch.ones(3))",
            f"        self.register_buffer('buffer', {self.made()})", f"        self.scale = {self.value()}",
            f"        self.layers = nn.ModuleList([{inner}])",
            f"    def helper(self, x): return {self.expression('x')}",
            "    def forward(self, x):",
            "        x = self.layer(x) * self.scale",
            "        for each in self.layers: x = each(x)",
            f"        return self.helper(x) + {self.expression('x')} * self.weight",
        ]  # fmt: skip
        self._restore(before)
        m = f"m{n}"
        self.lines.append(f"{m} = M{n}()")
        self.layers.append(m)
        self.calls.append(m)
        self.numbers.append(f"{m}.scale")
        self.tensors += [f"{m}.buffer", f"{m}.weight"]
        self.written.append(f"{m}.buffer")
        self.rebound.append(f"{m}.buffer")
        self.assigned.append(f"{m}.scale")
        self.flags.append(f"{m}.training")
        self.watched += [m, f"{m}.scale", f"[p.grad for p in {m}.parameters()]"]
        self.changes += [
            lambda: self.one(f"{m}.eval()", f"{m}.train()", f"{m}.scale = {self.value()}"),
            lambda: self.one(f"{m}.buffer = {self.made()}", f"{m}.buffer.add_(1)"),
            lambda: self.one(f"{m}.layer = nn.Linear(3, 3)", f"{m}.layer = nn.Identity()"),
            lambda: self.one(f"{m}.layers.append(nn.Tanh())", f"{m}.layers[0] = nn.Sigmoid()"),
            lambda: self.one(f"{m}.weight.requires_grad_(False)", f"{m}.weight.data.mul_(0.5)",
                             f"{m}.weight = nn.Parameter(torch.full((3,), 0.5))", f"{m}.weight.grad = None"),
            lambda: f"M{n}.helper = lambda self, x: x * self.buffer",
            lambda: f"{m} = M{n}()",
        ]  # fmt: skip
        if self.random.random() < 0.06:
            self.plain = False
            self.changes.append(lambda: f"{m}.register_forward_hook(lambda m, a, y: y * {self.value()})")

    # Contents of names that are known inside a class only.

    def _snapshot(self) -> tuple[list[str], ...]:
        return ([*self.numbers], [*self.tensors], [*self.flags], [*self.calls])

    def _restore(self, held: tuple[list[str], ...]) -> None:
        self.numbers, self.tensors, self.flags, self.calls = ([*each] for each in held)

    def _with(self, held: tuple[list[str], ...], draw: Callable[[], str]) -> str:
        """Draw with earlier names only: functions must not call each other in a circle."""
        now = self._snapshot()
        self._restore(held)
        # The function itself is the last of the calls.
        self.calls = self.calls[:-1]
        text = draw()
        self._restore(now)
        return text

    # Statements.

    def statement(self) -> list[str]:
        if self.random.random() < UNKNOWN:
            self.plain = False
            if self.assigned and self.random.random() < 0.5:
                place = self.one(*self.assigned)
                return [f"{place} = {place} + 1", f"x = x + {place}"]
            return self.random.choice([
                ["print('x', tuple(x.shape))"], ["log.append(len(log))", "x = x + len(log)"],
                ["x = x * 2 if x.sum() > 3 else x"], ["log.append(x.detach())"],
                ["log.append(x.sum().item())"],
            ])  # fmt: skip
        form = self.random.randrange(12)
        if form == 0:
            return [f"if {self.flag()}:", f"    x = {self.expression('x')}", "else:",
                    f"    x = {self.expression('x')}"]  # fmt: skip
        if form == 1 and self.lists:
            return [f"for v in {self.one(*self.lists)}:", "    x = x + v"]
        if form == 2 and self.lists:
            return [f"x = x + sum([x * v for v in {self.one(*self.lists)} if v > {self.value()}])"]
        if form == 3 and self.written:
            return ["with torch.no_grad():", f"    {self.one(*self.written)}.mul_(0.5).add_(x.detach())"]
        if form == 4:
            return ["with torch.no_grad():", f"    y = {self.expression('x')}", "x = x + y"]
        if form == 5:
            return [f"def local(v, a={self.number()}): return {self.expression('v')} * a", "x = local(x)"]
        if form == 6:
            return ["x = x * 1", f"x.add_({self.number()})"]
        if form == 7 and self.rebound:
            place = self.one(*self.rebound)
            # Where a call leaves a tensor in an item of a list or in a buffer, a compiler may give up.
            self.plain = self.plain and not place.startswith(("ts", "m"))
            return [f"{place} = {place} * 0.5 + x.detach()"]
        return [f"x = {self.expression('x')}"]

    def result(self) -> str:
        forms = ["x", "x", f"x, {self.tensor()}", f"{{'x': x, 'k': {self.number()}}}", "[x, x[1:]]",
                 f"x, {self.flag()}"]  # fmt: skip
        return self.one(*forms, *(f"x, {o}" for o in self.objects))

    def program(self) -> Program:
        features = [self.feature_global, self.feature_tensor, self.feature_function, self.feature_closure,
                    self.feature_container, self.feature_container, self.feature_class,
                    self.feature_module]  # fmt: skip
        for n in range(self.random.randrange(2, 6)):
            self.random.choice(features)(n)
        trained = bool(self.layers) and self.random.random() < 0.5
        if trained:
            self._optimizer()
        body = [line for _ in range(self.random.randrange(2, 5)) for line in self.statement()]
        if trained:
            # Bounded: a training that runs away to infinity makes much of any rounding.
            body += [
                f"loss = ({self.layers[0]}(x) * 0.5).tanh().square().mean()",
                "optimizer.zero_grad()", "loss.backward()", "optimizer.step()", "x = loss.detach()",
            ]  # fmt: skip
            result = self.one("x", f"x, {self.number()}")
        else:
            result = self.result()
        changes = tuple(
            (call, self.random.random() < 0.15, self.random.choice(self.changes)())
            for call in range(1, CALLS) if self.changes and self.random.random() < 0.6
        )  # fmt: skip
        flags = {"raises", *(["compiles"] if self.plain else []), *(["unsigned"] if trained else [])}
        if self.layers:
            # Steps of training and norms of nearly equal numbers make much of float32's rounding.
            self.lines.insert(0, "torch.set_default_dtype(torch.float64)")
        step = "\n    ".join(["def step(x):", *body, f"return {result}"])
        return Program(
            f"seed {self.seed}", frozenset(flags), "\n".join(["log = []", *self.lines, step]) + "\n",
            call="(torch.arange(3.0) + n) * 0.25",
            changes=changes, state=", ".join(["log", *self.watched]), calls=CALLS,
        )  # fmt: skip

    def _optimizer(self) -> None:
        m = self.layers[0]
        kind = self.one("SGD({}, lr=0.1)", "SGD({}, lr=0.1, momentum=0.5)",
                        "SGD({}, lr=0.1, weight_decay=0.1)", "Adam({}, lr=0.01, eps=0.01)")  # fmt: skip
        made = f"torch.optim.{kind}".format(f"{m}.parameters()")
        self.lines.append(f"optimizer = {made}")
        self.watched.append("optimizer")
        self.numbers.append("optimizer.param_groups[0]['lr']")
        self.changes += [
            lambda: f"optimizer.param_groups[0]['lr'] = {self.one('0.05', '0.0', '0.2')}",
            lambda: f"optimizer.param_groups[0]['lr'] = {self.one('0.05', '0.2')}",
            lambda: f"optimizer.param_groups[0]['weight_decay'] = {self.one('0.05', '0.0')}",
            lambda: "optimizer.state.clear()", lambda: f"optimizer = {made}",
            lambda: "optimizer.load_state_dict(copy.deepcopy(optimizer.state_dict()))",
        ]  # fmt: skip


def draw(seed: int) -> Program:
    """Return the program of a seed."""
    return Drawing(seed).program()
