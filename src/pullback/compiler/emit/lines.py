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
