"""Writing functions of loops and branches as LLVM's text: what algorithms on whole numbers are made of.

Variables are stack slots of 64 bits, which LLVM turns into registers.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from .lanes import Lanes, Writer

Place = int | str


class Function(Writer):
    """Write one function.

    Parameters
    ----------
    name : str
    parameters : mapping of str to str
        Types by names; in the text a parameter is its name after a ``%``.
    result : str
        The type of what it returns.
    kind : str
        The type of the floating numbers in it.
    """

    #: What is said of loops where they begin again, and of who may call the function.
    again, linkage = "", "internal "

    def __init__(
        self, name: str, parameters: Mapping[str, str], result: str = "void", kind: str = "double"
    ) -> None:
        super().__init__(1, False, kind)
        given = ", ".join(f"{type_} %{name}" for name, type_ in parameters.items())
        self._head = f"{result} @{name}({given}) nounwind #0 {{\nentry:"
        self._result = result
        self._slots: list[str] = []
        self._names = 0

    def text(self) -> str:
        """Return the function."""
        end = "  ret void" if self._result == "void" else "  unreachable"
        return "\n".join([f"define {self.linkage}{self._head}", *self._slots, *self.lines, end, "}"])

    def line(self, text: str) -> None:
        """Write an instruction that has no value."""
        self.lines.append("  " + text)

    def value(self, text: str) -> str:
        """Write an instruction and name its value."""
        name = self._fresh()
        self.line(f"{name} = {text}")
        return name

    def instruction(self, text: str, kind: str) -> Lanes:
        """Return the value of an instruction, which is written where it is asked for."""
        return Lanes(self, self.value(text), kind)

    def variable(self, value: Place) -> str:
        """Return a variable that holds a number at first."""
        name = self.slot("i64")
        self.set(name, value)
        return name

    def slot(self, type_: str) -> str:
        """Return the address of room for a value of a type."""
        name = self._fresh()
        self._slots.append(f"  {name} = alloca {type_}")
        return name

    def get(self, variable: str) -> str:
        """Return what a variable holds."""
        return self.value(f"load i64, ptr {variable}")

    def set(self, variable: str, value: Place) -> None:
        """Let a variable hold a number."""
        self.line(f"store i64 {value}, ptr {variable}")

    def add(self, x: Place, y: Place) -> str:
        """Return ``x + y``."""
        return self.value(f"add i64 {x}, {y}")

    def compare(self, order: str, x: Place, y: Place) -> Lanes:
        """Return whether two numbers are in an order of LLVM's, as ``"slt"``."""
        return self.instruction(f"icmp {order} i64 {x}, {y}", "i1")

    def element(self, array: str, index: Place) -> str:
        """Return an element of an array of numbers."""
        return self.value(f"load i64, ptr {self._address(array, index)}")

    def put(self, array: str, index: Place, value: Place) -> None:
        """Write an element of an array of numbers."""
        self.line(f"store i64 {value}, ptr {self._address(array, index)}")

    def returned(self, value: str) -> None:
        """Return from the function; what is written behind belongs to no path."""
        self.line(f"ret {self._result} {value}")
        self._label(self._fresh()[1:])

    @contextmanager
    def when(self, condition: Lanes) -> Iterator[None]:
        """Write what runs where a condition holds."""
        then, end = (self._fresh()[1:] for _ in range(2))
        self.line(f"br i1 {condition.name}, label %{then}, label %{end}")
        self._label(then)
        yield
        self.line(f"br label %{end}")
        self._label(end)

    @contextmanager
    def loop(self) -> Iterator[str]:
        """Write what runs again and again; what is yielded names the loop for `leave`."""
        head, end = (self._fresh()[1:] for _ in range(2))
        self.line(f"br label %{head}")
        self._label(head)
        yield end
        self.line(f"br label %{head}{self.again}")
        self._label(end)

    def leave(self, loop: str, condition: Lanes) -> None:
        """Leave a loop where a condition holds."""
        further = self._fresh()[1:]
        self.line(f"br i1 {condition.name}, label %{loop}, label %{further}")
        self._label(further)

    @contextmanager
    def count(self, start: Place, stop: Place, step: int = 1) -> Iterator[str]:
        """Count from `start` to below `stop`."""
        counter = self.variable(start)
        with self.loop() as loop:
            now = self.get(counter)
            self.leave(loop, self.compare("sge", now, stop))
            yield now
            self.set(counter, self.add(now, step))

    @contextmanager
    def count_down(self, start: Place, stop: Place) -> Iterator[str]:
        """Count from below `start` down to `stop`."""
        counter = self.variable(start)
        with self.loop() as loop:
            self.leave(loop, self.compare("sle", self.get(counter), stop))
            self.set(counter, self.add(self.get(counter), -1))
            yield self.get(counter)

    def _address(self, array: str, index: Place) -> str:
        return self.value(f"getelementptr i64, ptr {array}, i64 {index}")

    def _label(self, name: str) -> None:
        self.lines.append(f"{name}:")

    def _fresh(self) -> str:
        self._names += 1
        return f"%v{self._names}"
