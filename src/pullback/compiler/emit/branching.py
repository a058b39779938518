"""Writing functions of loops and branches as LLVM's text: what algorithms on whole numbers are made of.

Variables are stack slots of 64 bits, which LLVM turns into registers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager


class Function:
    """Write one function.

    Parameters
    ----------
    name : str
    parameters : mapping of str to str
        Types by names; in the text a parameter is its name after a ``%``.
    result : str
        The type of what it returns.
    """

    #: What is said of loops where they begin again.
    again = ""

    def __init__(self, name: str, parameters: Mapping[str, str], result: str = "void") -> None:
        given = ", ".join(f"{type_} %{name}" for name, type_ in parameters.items())
        self._head = f"define internal {result} @{name}({given}) nounwind #0 {{\nentry:"
        self._result = result
        self._slots: list[str] = []
        self._lines: list[str] = []
        self._names = 0

    def text(self) -> str:
        """Return the function."""
        end = "  ret void" if self._result == "void" else "  unreachable"
        return "\n".join([self._head, *self._slots, *self._lines, end, "}"])

    def line(self, text: str) -> None:
        """Write an instruction that has no value."""
        self._lines.append("  " + text)

    def value(self, text: str) -> str:
        """Write an instruction and name its value."""
        name = self._fresh()
        self.line(f"{name} = {text}")
        return name

    def variable(self, value: int | str) -> str:
        """Return a variable that holds a number at first."""
        name = self._fresh()
        self._slots.append(f"  {name} = alloca i64")
        self.set(name, value)
        return name

    def get(self, variable: str) -> str:
        """Return what a variable holds."""
        return self.value(f"load i64, ptr {variable}")

    def set(self, variable: str, value: int | str) -> None:
        """Let a variable hold a number."""
        self.line(f"store i64 {value}, ptr {variable}")

    def add(self, x: int | str, y: int | str) -> str:
        """Return ``x + y``."""
        return self.value(f"add i64 {x}, {y}")

    def compare(self, order: str, x: int | str, y: int | str) -> str:
        """Return whether two numbers are in an order of LLVM's, as ``"slt"``."""
        return self.value(f"icmp {order} i64 {x}, {y}")

    def element(self, array: str, index: int | str) -> str:
        """Return an element of an array of numbers."""
        return self.value(f"load i64, ptr {self._address(array, index)}")

    def put(self, array: str, index: int | str, value: int | str) -> None:
        """Write an element of an array of numbers."""
        self.line(f"store i64 {value}, ptr {self._address(array, index)}")

    def returned(self, value: str) -> None:
        """Return from the function; what is written behind belongs to no path."""
        self.line(f"ret {self._result} {value}")
        self._label(self._fresh()[1:])

    @contextmanager
    def when(self, condition: str) -> Iterator[None]:
        """Write what runs where a condition holds."""
        then, end = (self._fresh()[1:] for _ in range(2))
        self.line(f"br i1 {condition}, label %{then}, label %{end}")
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

    def leave(self, loop: str, condition: str) -> None:
        """Leave a loop where a condition holds."""
        further = self._fresh()[1:]
        self.line(f"br i1 {condition}, label %{loop}, label %{further}")
        self._label(further)

    @contextmanager
    def count(self, start: int | str, stop: int | str) -> Iterator[str]:
        """Count from `start` to below `stop`."""
        counter = self.variable(start)
        with self.loop() as loop:
            now = self.get(counter)
            self.leave(loop, self.compare("sge", now, stop))
            yield now
            self.set(counter, self.add(now, 1))

    @contextmanager
    def count_down(self, start: int | str, stop: int | str) -> Iterator[str]:
        """Count from below `start` down to `stop`."""
        counter = self.variable(start)
        with self.loop() as loop:
            self.leave(loop, self.compare("sle", self.get(counter), stop))
            self.set(counter, self.add(self.get(counter), -1))
            yield self.get(counter)

    def _address(self, array: str, index: int | str) -> str:
        return self.value(f"getelementptr i64, ptr {array}, i64 {index}")

    def _label(self, name: str) -> None:
        self._lines.append(f"{name}:")

    def _fresh(self) -> str:
        self._names += 1
        return f"%v{self._names}"
