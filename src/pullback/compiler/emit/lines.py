"""Lines of LLVM's text: what all have that write a function."""


class Lines:
    """Gather the lines of a function, whose values have names."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self._names = 0

    def fresh(self) -> str:
        """Return a name not used before."""
        self._names += 1
        return f"%v{self._names}"

    def line(self, text: str) -> None:
        """Write an instruction that has no value."""
        self.lines.append("  " + text)

    def value(self, text: str) -> str:
        """Write an instruction and name its value."""
        name = self.fresh()
        self.line(f"{name} = {text}")
        return name

    def sum(self, *terms: str) -> str:
        """Return the sum of whole numbers."""
        total, *others = terms
        for term in others:
            total = self.value(f"add nsw i64 {total}, {term}")
        return total

    def product(self, x: str, y: str) -> str:
        """Return the product of two whole numbers."""
        return self.value(f"mul nsw i64 {x}, {y}")

    def entry(self, type_: str, base: str, *terms: str) -> str:
        """Return the address of the element of an array at an index, the sum of some terms."""
        return self.value(f"getelementptr {type_}, ptr {base}, i64 {self.sum(*terms)}")

    def read_entry(self, type_: str, base: str, *terms: str, more: str = "") -> str:
        """Return an element; `more` is what the instruction says behind the address."""
        return self.value(f"load {type_}, ptr {self.entry(type_, base, *terms)}{more}")

    def write_entry(self, type_: str, value: str, base: str, *terms: str, more: str = "") -> None:
        """Write a number to an element."""
        self.line(f"store {type_} {value}, ptr {self.entry(type_, base, *terms)}{more}")
